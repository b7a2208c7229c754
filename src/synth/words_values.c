/* words_values.c - stems from which values are made. */
#include "synth/english.h"

#define LIST(name, ...)                                                                            \
	static const char *const name##_at[] = {__VA_ARGS__};                                      \
	const struct words name = {name##_at, sizeof name##_at / sizeof *name##_at}

LIST(words_stem, "billing", "invoice", "checkout", "support", "triage", "router", "planner",
	"research", "summary", "scraper", "crawler", "indexer", "ranker", "memory", "ledger",
	"inventory", "orders", "pricing", "catalog", "search", "chat", "mail", "calendar", "notes",
	"docs", "wiki", "tickets", "alerts", "metrics", "audit", "payroll", "hiring", "legal",
	"contracts", "travel", "booking", "hotel", "flight", "recipe", "fitness", "weather", "news",
	"sports", "music", "photo", "video", "speech", "vision", "translate", "tutor", "quiz",
	"grading", "campus", "library", "museum", "gallery", "garden", "orchard", "harbor",
	"lighthouse", "compass", "atlas", "beacon", "falcon", "otter", "badger", "heron", "lynx",
	"panda", "turtle", "salmon", "maple", "cedar", "willow", "granite", "quartz", "cobalt",
	"copper", "amber", "saffron", "pepper", "mango", "papaya", "walnut", "espresso", "noodle",
	"waffle", "pickle", "comet", "nebula", "orbit", "pulsar", "rocket", "shuttle", "glider",
	"kayak", "tandem", "scooter", "tractor", "forklift", "parcel", "courier", "depot", "fleet",
	"claims", "policy", "clinic", "pharmacy", "intake", "lab", "sensor", "turbine", "grid",
	"meter", "solar", "drone", "robot", "gripper", "conveyor", "shop", "store", "cart",
	"payment", "refund", "loyalty", "coupon", "review", "rating", "feed", "stream", "queue",
	"cache", "proxy", "gateway", "bridge", "relay", "probe", "vault", "keystone", "anchor",
	"sparrow", "magpie", "hawk", "bison", "moose", "ferret", "lobster", "oyster", "nimbus",
	"cirrus", "aurora", "zephyr", "monsoon", "tundra", "delta", "canyon", "mesa", "fjord",
	"lagoon", "reef", "echo", "sonar", "radar", "tango", "waltz", "polka", "sonnet", "haiku",
	"fable", "saga", "riddle", "puzzle", "maze", "domino", "helpdesk", "onboarding", "shipping",
	"returns", "forecast", "budget", "expense", "crm", "erp", "hr", "kyc", "fraud", "risk",
	"trading", "quotes", "leads", "sales");
LIST(words_adjective, "red", "blue", "green", "tiny", "big", "fast", "slow", "calm", "bold",
	"brave", "quiet", "loud", "lucky", "happy", "sleepy", "hungry", "shiny", "rusty", "dusty",
	"frosty", "sunny", "rainy", "windy", "old", "new", "next", "final", "beta", "alpha",
	"smart", "clever", "super", "mega", "mini", "micro", "nano", "core", "main", "my", "our",
	"team", "acme", "globex", "initech", "umbrella", "hooli", "contoso", "northwind", "north",
	"south", "east", "west", "euro", "asia", "prod", "staging", "dev", "test", "demo", "qa",
	"internal", "public", "secret", "shared", "global", "local", "daily", "weekly");
LIST(words_directory, "app", "apps", "src", "services", "config", "configs", "conf", "deploy",
	"deployments", "infra", "ops", "backend", "frontend", "packages", "projects", "work",
	"code", "agents", "bots", "graphs", "envs", "env", "prod", "staging", "dev", "test",
	"tests", "ci", "tools", "scripts", "docker", "k8s", "build", "dist", "out", "output", "tmp",
	"data", "certs", "ssl", "tls", "secrets", "etc", "examples", "sandbox", "playground",
	"client", "server", "api", "lib", "modules", "python", "js", "web", "site", "repos",
	"clients", "legacy", "v2", "experiments", "poc");
LIST(words_root, "/srv", "/opt", "/etc", "/home/ana", "/home/dev", "/home/raj", "/home/mei",
	"/Users/sam", "/Users/olga", "/Users/kenji", "/var/lib", "/data", "/mnt/data", "/work",
	"/workspace", "/tmp", "/usr/local", "~", "~/code", "~/work", "~/projects", "~/dev",
	"~/repos", "/root", "/mnt/c/Users/lea", "/builds", "/app");
LIST(words_file, "config", "settings", "app", "main", "base", "default", "dev", "prod", "staging",
	"local", "test", "ci", "custom", "override", "service", "server", "stack", "extra", "team",
	"demo", "debug", "release", "minimal", "full", "shared", "backup", "draft", "old", "new");
LIST(words_code_file, "main", "app", "run", "setup", "install", "build", "prepare", "bootstrap",
	"compile", "bundle");
LIST(words_domain, "com", "io", "dev", "net", "org", "ai", "app", "cloud", "de", "fr", "co.uk",
	"in", "jp", "example.com", "example.org", "internal", "local", "corp", "lan", "test");
LIST(words_label, "api", "app", "www", "db", "dev", "staging", "studio", "debug", "portal", "auth",
	"cdn", "edge", "node1", "node2", "gw", "proxy", "console", "admin", "ui", "web", "int",
	"eu", "us", "beta", "preview", "tools", "git", "hub", "lab");
LIST(words_registry, "images.example.com", "pier.example.net", "dock.example.org",
	"registry.example.net", "cr.example.org", "registry.local:5000", "localhost:5000",
	"eu-images.example.net", "public.example.org", "registry.acme.example",
	"harbor.corp.example");
LIST(words_tool_command, "npm run %s", "yarn %s", "pnpm %s", "make %s", "npm ci", "npm install",
	"pnpm install", "yarn install", "pip install -r %s.txt", "pip install -e .", "uv sync",
	"uv pip install -r %s.txt", "poetry install", "poetry run %s", "bun install", "bun run %s",
	"./%s.sh", "bash %s.sh", "python %s.py", "just %s", "turbo %s", "yarn workspace %s build",
	"nx build %s", "sh scripts/%s.sh", "task %s", "npm run %s --if-present", "pnpm -r %s",
	"pip install .", "cargo build --release", "go build ./%s", "tox -e %s", "make -C %s",
	"pnpm --filter %s build");
LIST(words_short, "a", "b", "x", "tmp", "foo", "bar", "baz", "qux", "hello", "first", "second",
	"bot", "agent", "svc", "job", "worker", "service", "app", "api", "site", "tool", "kit");
LIST(words_topic, "timeout", "connection refused", "out of memory", "rate limit",
	"permission denied", "stack trace", "failed login", "disk full", "null pointer", "retry",
	"deadlock", "500", "payment failed", "user not found", "invalid token", "slow query",
	"traceback", "KeyError", "ValueError", "ECONNRESET", "unauthorized", "webhook",
	"checkpoint", "tool call", "graph recursion", "cold start", "OOM", "healthcheck",
	"TLS handshake", "missing field", "bad gateway", "queue full", "schema mismatch",
	"parse error");
LIST(words_region, "us-east-1", "us-west-2", "eu-west-1", "eu-central-1", "ap-south-1",
	"ap-northeast-1");
