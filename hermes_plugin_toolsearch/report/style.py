"""The page's colours and style sheet."""

from __future__ import annotations

LIGHT = {
    "paper": "#f4f5f2",
    "card": "#ffffff",
    "ink": "#1a2128",
    "soft": "#54606c",
    "line": "#dfe3e0",
    "now": "#0b7a6b",
    "before": "#8a7f9e",
    "third": "#b4530a",
    "wash": "#e4f1ee",
}
DARK = {
    "paper": "#0f1317",
    "card": "#171d23",
    "ink": "#e9edf0",
    "soft": "#a3afba",
    "line": "#2b343c",
    "now": "#3fd0b6",
    "before": "#8f86a8",
    "third": "#f0a35e",
    "wash": "#15302c",
}
"""Variables of the two themes. Text is ``ink`` or ``soft`` on ``paper`` or ``card``; bars and lines are the rest."""

NARROW = 620
"""Width in pixels below which the charts are drawn for a phone."""


def _variables(palette: dict[str, str]) -> str:
    return "".join(f"--{name}:{value};" for name, value in palette.items())


CSS = f"""
:root{{color-scheme:light dark;{_variables(LIGHT)}}}
@media (prefers-color-scheme:dark){{:root{{{_variables(DARK)}}}}}
*{{box-sizing:border-box}}
body{{margin:0;background:var(--paper);color:var(--ink);
font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Liberation Sans",sans-serif}}
.skip{{position:absolute;left:-999px}} .skip:focus{{left:1rem;top:1rem;background:var(--card);padding:.5rem 1rem}}
header,main,footer{{max-width:58rem;margin:0 auto;padding:0 1.25rem}}
header{{padding-top:3.5rem;padding-bottom:1.5rem}}
.eyebrow{{margin:0;color:var(--soft);font-size:.85rem;letter-spacing:.08em;text-transform:uppercase}}
h1{{margin:.35rem 0 .5rem;font-size:clamp(2rem,6vw,3.4rem);line-height:1.08;letter-spacing:-.025em;font-weight:700;
text-wrap:balance}}
h1 em{{font-style:normal;color:var(--now);white-space:nowrap}}
.lead{{margin:0;max-width:44rem;color:var(--soft);font-size:1.1rem}}
.tiles{{display:grid;grid-template-columns:repeat(auto-fit,minmax(10.5rem,1fr));gap:.75rem;
margin:1.75rem 0 0;padding:0}}
.tiles div{{background:var(--card);border:1px solid var(--line);border-radius:.8rem;padding:.9rem 1rem}}
.tiles dt{{color:var(--soft);font-size:.85rem}}
.tiles dd{{margin:.1rem 0 0;font-size:1.45rem;font-weight:650;font-variant-numeric:tabular-nums;letter-spacing:-.01em}}
.tiles small{{display:block;font-size:.8rem;font-weight:400;color:var(--soft);letter-spacing:0}}
section{{background:var(--card);border:1px solid var(--line);border-radius:1rem;
padding:1.5rem 1.5rem 1.25rem;margin:0 0 1.25rem}}
h2{{margin:0;font-size:1.25rem;letter-spacing:-.01em}}
section>p{{margin:.25rem 0 1rem;color:var(--soft);max-width:44rem}}
.key{{display:flex;flex-wrap:wrap;gap:.25rem 1.1rem;list-style:none;margin:0 0 .75rem;padding:0;font-size:.9rem}}
.key li::before{{content:"";display:inline-block;width:.8rem;height:.8rem;border-radius:.2rem;margin-right:.45rem;
vertical-align:-.08rem;background:var(--c)}}
svg{{display:block;width:100%;height:auto;overflow:visible}}
svg text{{font-size:13px;fill:var(--ink);font-variant-numeric:tabular-nums}}
svg .soft{{fill:var(--soft)}} svg .strong{{font-weight:650}} svg .end{{text-anchor:end}} svg .mid{{text-anchor:middle}}
svg .grid{{stroke:var(--line);stroke-width:1}}
svg .now{{fill:var(--now)}} svg .before{{fill:var(--before)}} svg .third{{fill:var(--third)}}
svg .wash{{fill:var(--wash)}}
svg .line{{fill:none;stroke-width:2.5;stroke-linejoin:round;stroke-linecap:round}}
svg .line.now{{stroke:var(--now);fill:none}} svg .line.before{{stroke:var(--before);fill:none}}
svg .budget{{stroke:var(--third);stroke-width:2.5}}
.narrow{{display:none}}
@media (max-width:{NARROW}px){{.wide{{display:none}} .narrow{{display:block}} section{{padding:1.1rem 1rem}}
header{{padding-top:2rem}}}}
details{{margin-top:1rem;font-size:.92rem}} summary{{cursor:pointer;color:var(--soft)}}
summary:focus-visible,a:focus-visible{{outline:3px solid var(--now);outline-offset:2px;border-radius:.2rem}}
.scroll{{overflow-x:auto}}
table{{border-collapse:collapse;width:100%;margin-top:.6rem;font-variant-numeric:tabular-nums}}
th,td{{padding:.3rem .7rem .3rem 0;text-align:right;border-bottom:1px solid var(--line);white-space:nowrap}}
th{{color:var(--soft);font-weight:500}} th:first-child,td:first-child{{text-align:left}}
footer{{padding-top:.5rem;padding-bottom:3rem;color:var(--soft);font-size:.9rem}}
@media print{{body{{background:#fff}} section{{break-inside:avoid}}}}
"""
