"""Everyday wording beside tool wording: the hand-written needs of ``phrases.txt``, and combinations made by rule."""

from __future__ import annotations

import random
from pathlib import Path

SEED = 20261130

VERBS = {
    "create": ("add", "make", "new", "set up", "start", "open", "register", "put together", "come up with"),
    "delete": ("remove", "get rid of", "drop", "throw away", "erase", "destroy", "clean up", "wipe"),
    "update": ("change", "edit", "modify", "adjust", "fix", "revise", "alter", "patch", "correct"),
    "list": ("show all", "which", "what", "enumerate", "give me every", "display", "see all", "overview of"),
    "get": ("show", "fetch", "read", "retrieve", "look at", "details of", "tell me about", "view", "pull up", "open"),
    "search": ("find", "look for", "look up", "hunt for", "locate", "dig up", "where is"),
    "send": ("post", "deliver", "transmit", "fire off", "pass on", "submit"),
    "move": ("transfer", "relocate", "put elsewhere", "shift", "drag"),
    "copy": ("duplicate", "clone", "replicate", "make another"),
    "share": ("give access to", "let others see", "open up", "grant access to"),
    "assign": ("hand over", "delegate", "give somebody", "put in charge of"),
    "close": ("finish", "complete", "resolve", "be done with", "end"),
    "start": ("run", "launch", "kick off", "trigger", "execute", "begin", "fire up", "switch on"),
    "stop": ("cancel", "abort", "halt", "kill", "end", "terminate", "switch off", "call off"),
    "restart": ("reboot", "start again", "bounce", "retry", "run again"),
    "download": ("fetch", "save", "get a copy of", "export", "pull"),
    "upload": ("put up", "import", "push", "attach", "store"),
    "approve": ("accept", "sign off", "agree to", "give the go-ahead for", "okay"),
    "reject": ("decline", "refuse", "turn down", "deny"),
    "enable": ("turn on", "activate", "switch on", "allow"),
    "disable": ("turn off", "deactivate", "switch off", "forbid"),
    "schedule": ("plan", "arrange", "book", "set a time for"),
    "archive": ("put away", "hide", "retire", "shelve"),
    "restore": ("bring back", "recover", "undelete", "get back"),
    "subscribe to": ("follow", "watch", "be notified about", "keep an eye on"),
    "validate": ("check", "verify", "test", "make sure of"),
    "compare": ("what is different in", "diff", "contrast"),
    "count": ("how many", "number of", "total of"),
}

NOUNS = {
    "issue": ("ticket", "bug", "problem", "defect report"),
    "task": ("to-do", "work item", "job to do", "action item"),
    "pull request": ("merge request", "PR", "MR", "code change for review"),
    "repository": ("repo", "code base", "project source"),
    "branch": ("line of development", "feature branch"),
    "commit": ("revision", "change set", "saved change"),
    "pipeline": ("build", "CI run", "workflow run"),
    "job": ("build step", "background work", "run"),
    "message": ("chat post", "note", "text"),
    "channel": ("room", "chat", "group conversation"),
    "email": ("mail", "letter", "message in my inbox"),
    "event": ("meeting", "appointment", "call", "calendar entry"),
    "calendar": ("agenda", "schedule", "diary"),
    "contact": ("person", "address book entry"),
    "user": ("member", "colleague", "account", "employee", "teammate"),
    "file": ("document", "doc"),
    "folder": ("directory",),
    "page": ("article", "wiki document", "note"),
    "comment": ("remark", "reply", "feedback", "note"),
    "document": ("text", "paper", "write-up"),
    "spreadsheet": ("sheet", "table of figures", "workbook", "Excel file"),
    "database": ("data store", "db"),
    "table": ("data set", "list of rows"),
    "record": ("row", "entry", "item"),
    "query": ("SQL", "question to the data"),
    "card": ("board item", "sticky note"),
    "board": ("kanban", "planning wall"),
    "sprint": ("iteration", "cycle"),
    "project": ("initiative", "piece of work"),
    "team": ("group", "department", "squad"),
    "customer": ("client", "buyer"),
    "invoice": ("bill",),
    "payment": ("charge", "money received", "transaction"),
    "subscription": ("plan", "recurring payment"),
    "product": ("item for sale", "article in the shop"),
    "deal": ("opportunity", "sale"),
    "server": ("machine", "instance", "virtual machine", "box", "host"),
    "container": ("pod", "workload"),
    "bucket": ("object store", "storage container"),
    "log": ("output", "trace", "record of what happened"),
    "metric": ("figure", "measurement", "load"),
    "alert": ("warning", "alarm", "notification"),
    "incident": ("outage", "downtime"),
    "error": ("exception", "crash", "failure"),
    "dashboard": ("monitoring page", "chart overview"),
    "domain": ("web address", "site name"),
    "website": ("site", "web page", "homepage"),
    "secret": ("password", "credential", "key"),
    "permission": ("access", "right", "privilege"),
    "role": ("set of rights", "job function"),
    "policy": ("rule", "set of rules"),
    "webhook": ("callback", "event hook"),
    "workflow": ("automation", "flow", "process"),
    "deployment": ("rollout", "release", "publication"),
    "release": ("version",),
    "template": ("sample", "ready-made form"),
    "label": ("tag", "category", "marker"),
    "attachment": ("attached file", "enclosed document"),
    "report": ("summary", "overview", "statistics"),
    "cost": ("spending", "expense", "bill", "price"),
    "budget": ("spending limit",),
    "image": ("picture", "photo", "screenshot"),
    "video": ("clip", "recording", "film"),
    "notification": ("alert", "news for me"),
    "reminder": ("nudge", "note to self"),
    "setting": ("option", "preference", "configuration"),
    "version": ("revision", "edition"),
    "collection": ("group", "set of records"),
    "form": ("questionnaire", "survey"),
    "goal": ("target", "objective", "aim"),
    "place": ("location", "spot", "address"),
}

SERVICES = (
    "GitHub", "GitLab", "Bitbucket", "Slack", "Teams", "Discord", "Gmail", "Outlook", "Google Calendar",
    "Google Drive", "Google Docs", "Google Sheets", "Notion", "Confluence", "Jira", "Linear", "Asana", "Trello",
    "Monday", "ClickUp", "HubSpot", "Salesforce", "Stripe", "PayPal", "Shopify", "Zendesk", "Airtable", "Postgres",
    "MySQL", "MongoDB", "Redis", "Elasticsearch", "Supabase", "Firebase", "AWS", "Azure", "Google Cloud",
    "Kubernetes", "Docker", "Terraform", "Sentry", "Datadog", "Grafana", "PagerDuty", "Cloudflare", "Vercel",
    "Netlify", "Figma", "Zoom", "Spotify", "WordPress", "n8n", "Postman", "CircleCI", "Jenkins", "Dropbox",
    "OneDrive", "SharePoint", "Twitter", "LinkedIn", "YouTube",
)  # fmt: skip

FRAMES = (
    "{}", "please {}", "can you {}", "I want to {}", "I need to {}", "help me {}", "how do I {}", "could you {} for me",
    "I would like to {}", "{} for me", "let's {}", "go ahead and {}",
)  # fmt: skip


def written() -> list[list[str]]:
    """The groups of ``phrases.txt``: each a list of texts that ask for one thing."""
    lines = Path(__file__).with_name("phrases.txt").read_text("utf-8").splitlines()
    return [line.split(" | ") for line in lines if line and not line.startswith("#")]


def groups() -> list[list[str]]:
    """Groups of texts that ask for one thing: the written ones, framed ones, and verbs and nouns combined by rule."""
    chance = random.Random(SEED)
    result = []
    for group in written():
        result.append(group)
        service = chance.choice(SERVICES)
        result.append([f"{service} {group[0]}", *(f"{text} in {service}" for text in group[1:])])
        service = chance.choice(SERVICES)
        result.append(
            [f"{service.lower()} {group[0]}", *(chance.choice(FRAMES).format(f"{text} on {service}") for text in group)]
        )
    for noun, nouns in NOUNS.items():
        for verb, verbs in VERBS.items():
            made = [f"{verb} {noun}"]
            for _ in range(3):
                said, thing = chance.choice(verbs), chance.choice((noun, *nouns))
                article = chance.choice(("a", "the", "my", "our", "this", "that"))
                made.append(chance.choice(FRAMES).format(f"{said} {article} {thing}"))
            if chance.random() < 0.3:
                service = chance.choice(SERVICES)
                made = [f"{service} {made[0]}", *(f"{text} in {service}" for text in made[1:])]
            result.append(made)
    return result
