"""What people say instead of what tools are called: a small hand-written vocabulary that only ever adds.

Written from general knowledge of such services, not from any set of queries. Each line of :data:`_ALIKE` are words of
which any may stand for any other; a line of :data:`_MEANS` is what a word also means, in that direction only.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from ..text import analyse, terms

ALIKE_WEIGHT = 0.55
MEANS_WEIGHT = 0.8

# Verbs, then things. In each line all words may stand for each other.
_ALIKE = """
create add new make insert
create post open start begin
create generate build produce compose draft write
create register provision setup
delete remove erase drop destroy clear discard
delete uninstall unregister purge trash
update edit change modify patch set alter adjust replace
update rename
get fetch retrieve read show view pull load
get describe details inspect info
list enumerate browse show all
search find query lookup locate look
send post deliver notify
send reply respond answer
run execute invoke trigger launch start
start resume enable activate
stop halt terminate kill end shut
stop cancel abort
disable deactivate off mute silence
enable activate on
copy duplicate clone
move transfer relocate shift
merge combine join land
upload import attach put
download export save
save store write
check verify validate test
analyze analyse examine inspect evaluate assess
calculate compute determine estimate
convert transform translate turn
summarize summary overview
assign give allocate
attach link connect associate
detach unlink disconnect disassociate
grant allow permit authorize let
revoke deny disallow
invite share
book reserve schedule
subscribe follow watch
buy purchase order
pay payment charge
approve accept confirm
reject decline refuse
close resolve finish complete done
reopen open
log record track
monitor watch observe
issue ticket bug defect
task todo
pr pull
mr merge
repo repository
commit revision
comment note feedback remark
comment reply
label tag
user member person people colleague
contact lead customer client person
team group
org organization organisation company
sprint iteration cycle
epic initiative
milestone goal
message chat
email mail message
dm direct
channel room
doc document page
spreadsheet sheet workbook
slides presentation deck
folder directory
file document
table database
row record item
column field
picture image photo screenshot
screenshot capture snapshot
url link
website site web
page webpage
form field
error exception crash failure
fail failure failed error
alert alarm notification
incident outage
bill billing cost invoice spend
price cost
money balance
subscription plan
permission access role
secret credential
password credential
job build
pipeline workflow ci
deploy deployment release
pod container
cluster k8s
vm machine instance server
bucket storage
calendar schedule
event meeting appointment
free availability busy
directions route
map location place
distance far
weather forecast temperature climate
news article headline
song music track tune
movie film cinema theater
restaurant dining eat food meal cuisine dinner lunch
recipe cook ingredient dish
hotel accommodation lodging stay room
house home property apartment rent
flight fly plane airline
trip travel journey vacation itinerary
car vehicle taxi ride drive driving
shop store market supermarket
product goods merchandise
doctor therapist physician
concert show performance event
ticket admission
odds probability chance likelihood
sum total add plus
multiply product times
stock share equity
currency exchange money dollar euro
tax vat
translate translation language
remind reminder
password login
phone call telephone
chart plot graph diagram
size dimension
average mean
near nearby close around
latest recent newest
"""

# word: what it also means, that way round only.
_MEANS = """
k8s: kubernetes
kubernetes: k8s
ado: azure devops
azdo: azure devops
gh: github
gcal: google calendar
gdoc: google docs
gdrive: google drive
gsheet: google sheets
mongo: mongodb
postgresql: postgres
postgres: postgresql
pg: postgres
psql: postgres
feishu: lark
lark: feishu
wiki: confluence notion
confluence: atlassian
jira: atlassian
bitbucket: atlassian
teams: ms365
outlook: ms365 mail
onedrive: ms365 drive
sharepoint: ms365
onenote: ms365
excel: ms365 workbook
office: ms365
microsoft: ms365 azure
amazon: aws
aws: amazon
s3: bucket
lambda: function
ec2: instance
gmail: mail google
google: gmail
sheets: google spreadsheet
monday: monday
crm: hubspot salesforce
x: twitter
tweet: twitter post
browser: chrome playwright puppeteer
k8: kubernetes
js: javascript
ts: typescript
py: python
db: database
env: environment
config: configuration
auth: authentication authorization
perms: permissions
dns: domain
ip: address
kql: query
sql: query
llm: model
ai: model
sms: message text
calendar: event
inbox: mail
pr: pull request
mr: merge request
wip: draft
repo: repository
docs: documentation document
id: identifier
desc: description
msg: message
img: image
pic: picture image
dir: directory
ls: list directory
grep: search file
cat: read file
mkdir: create directory
rm: delete
cp: copy
mv: move
weekly: schedule
nightly: schedule
daily: schedule
cron: schedule
online: web search
internet: web
google: search
timezone: time
"""


_SAID_IN_PASSING = """
help tell know give look looking find hi hey hello thanks thank ok okay sure think feel lot someone something anything
everything way thing things going go make take interested information info detail details provide assist able possible
want wish love nice good great right now today currently using use used
"""
SAID_IN_PASSING = frozenset(terms(_SAID_IN_PASSING))
"""Terms that requests are full of and that seldom tell tools apart; they count for little in a query."""


_SERVICES = """
airtable algolia amazon amplitude anthropic apify apple asana atlassian auth0 aws azure azdo bamboohr basecamp
bigquery bing bitbucket bluesky brevo browserbase buildkite calendly canva cassandra circleci clickhouse clickup
cloudflare cloudinary cloudwatch codecov coinbase confluence contentful context7 couchbase crunchbase databricks
datadog dataforseo deepgram deepl devops digitalocean discord docker docusign dropbox dynamodb ebay ec2 ecs eks
elasticsearch elevenlabs etsy evernote exa facebook fastly feishu figma firebase firecrawl freshdesk gcal gcp gdrive
gemini github gitlab gmail godaddy google grafana greenhouse gitea heroku hetzner honeycomb hostinger hubspot
huggingface influxdb instagram intercom jenkins jira jotform kafka kagi klaviyo kubernetes k8s lark launchdarkly
linear linkedin looker mailchimp mailgun mapbox mariadb mastodon metabase microsoft miro mixpanel mongo mongodb mux
mysql n8n neo4j neon netlify netsuite newrelic notion npm nvidia obsidian okta onedrive onenote openai opensearch
opsgenie oracle outlook pagerduty paypal perplexity pinecone pinterest pipedrive plaid planetscale playwright postgres
postgresql posthog postman prometheus puppeteer pypi qdrant quickbooks rabbitmq razorpay reddit redis resend retool s3
salesforce sap sendgrid sentry servicenow sharepoint shopify shortcut slack smartsheet snowflake spotify sqlite
stackoverflow strapi strava stripe supabase surrealdb tableau tavily telegram terraform tiktok todoist toggl trello
twilio twitch twitter typeform upstash vercel vimeo vonage weaviate webex webflow whatsapp wikipedia woocommerce
wordpress xero yelp youtrack youtube zapier zendesk zoho zoom
"""
SERVICES = frozenset(analyse(word).whole for word in _SERVICES.split())
"""Names of services that are no everyday words: a query that has one wants that service, or nothing."""


@cache
def related() -> Mapping[str, tuple[tuple[str, float], ...]]:
    """Term -> ``(other term, weight)`` for what else it may be called."""
    table: dict[str, dict[str, float]] = {}
    for line in _ALIKE.split("\n"):
        alike = terms(line)
        for term in alike:
            others = table.setdefault(term, {})
            for other in alike:
                if other != term:
                    others.setdefault(other, ALIKE_WEIGHT)
    for line in _MEANS.strip().split("\n"):
        word, _, meaning = line.partition(":")
        for term in terms(word)[:1]:
            for other in terms(meaning):
                if other != term:
                    table.setdefault(term, {})[other] = MEANS_WEIGHT
    return MappingProxyType({term: tuple(others.items()) for term, others in table.items()})
