"""The module that Hermes imports as ``tools.tool_search``: this project's core under the host's names.

Only for a checkout on ``sys.path``. An installed plugin puts the same names into place from
``hermes_plugin_toolsearch.hermes.native_names`` and writes nothing into Hermes' own ``tools`` folder.
"""

from hermes_plugin_toolsearch.hermes.native_names import *  # noqa: F403
from hermes_plugin_toolsearch.hermes.native_names import __all__  # noqa: F401
