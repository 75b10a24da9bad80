// A Claude Code CLI that only writes, as fast as the pipe accepts it.
//   STUB_MESSAGES  how many assistant messages a prompt causes (default 0)
//   STUB_BYTES     about how long each is (default 900); below 500 its envelope is minimal
//   STUB_DELTAS    how many text deltas precede them, as stream events (default 0)
//   STUB_ANSWER    how many of them make one answer (default 500)
//   STUB_HOOKS, STUB_PERMISSIONS  how many PreToolUse hooks and permissions are requested, one after the other (default 0)
// One-shot with --print: reads stdin to its end, writes, exits. Otherwise stream-json: handshake, turns, end_session.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char out[1 << 16];
static size_t held;

static void flush_out(void) {
  size_t at = 0;
  while (at < held) {
    ssize_t n = write(1, out + at, held - at);
    if (n <= 0) exit(1);
    at += (size_t)n;
  }
  held = 0;
}

static void put(const char *text, size_t length) {
  while (length > 0) {
    size_t room = sizeof out - held, part = length < room ? length : room;
    memcpy(out + held, text, part);
    held += part;
    text += part;
    length -= part;
    if (held == sizeof out) flush_out();
  }
}

static void say(const char *text) { put(text, strlen(text)); }

static char line[1 << 22];
static char in[1 << 16];
static size_t in_at, in_end;

// The next line of stdin, or 0 at its end.
static int next_line(void) {
  size_t length = 0;
  for (;;) {
    while (in_at < in_end) {
      char c = in[in_at++];
      if (c == '\n') {
        line[length] = 0;
        return 1;
      }
      if (length + 1 < sizeof line) line[length++] = c;
    }
    ssize_t n = read(0, in, sizeof in);
    if (n <= 0) return 0;
    in_at = 0;
    in_end = (size_t)n;
  }
}

// The value of a string field, as far as a stub needs it.
static const char *field(const char *name, char *value, size_t size) {
  char key[64];
  snprintf(key, sizeof key, "\"%s\":\"", name);
  const char *at = strstr(line, key);
  value[0] = 0;
  if (!at) return value;
  at += strlen(key);
  size_t length = strcspn(at, "\"");
  if (length >= size) length = size - 1;
  memcpy(value, at, length);
  value[length] = 0;
  return value;
}

static long setting(const char *name, long otherwise) {
  const char *text = getenv(name);
  return text ? atol(text) : otherwise;
}

#define IDS "\"session_id\":\"42a4f786-7a4a-4e25-b694-f1082c917f1f\",\"parent_tool_use_id\":null,\"uuid\":\"53c439a6-27f2-4b65-a35e-d4efccc9d47f\""
#define USAGE "\"usage\":{\"input_tokens\":10,\"output_tokens\":1,\"cache_creation_input_tokens\":0,\"cache_read_input_tokens\":0}"
#define EVENT(event) "{\"type\":\"stream_event\",\"event\":" event "," IDS ",\"api_message_id\":\"msg_%ld\"}\n"

// Makes one request after the other, like the real CLI: the next when the last is answered.
static void ask(long times, const char *format) {
  char text[512];
  for (long i = 0; i < times; i++) {
    snprintf(text, sizeof text, format, i, i, i);
    say(text);
    flush_out();
    do {
      if (!next_line()) exit(1);
    } while (!strstr(line, "\"control_response\""));
  }
}

// Streamed answers: start, pieces of one text block, the whole block, end.
static void stream(long deltas, long per_answer) {
  static char text[1 << 16];
  char whole[1 << 15] = "";
  for (long sent = 0, answer = 1; sent < deltas; answer++) {
    snprintf(text, sizeof text, EVENT("{\"type\":\"message_start\",\"message\":{\"id\":\"msg_%ld\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"claude-opus-5-5\",\"content\":[],\"stop_reason\":null,\"stop_sequence\":null," USAGE "}}"), answer, answer);
    say(text);
    snprintf(text, sizeof text, EVENT("{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}"), answer);
    say(text);
    snprintf(text, sizeof text, EVENT("{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"lorem ipsum \"}}"), answer);
    size_t length = strlen(text), written = 0;
    for (long i = 0; i < per_answer && sent < deltas; i++, sent++) {
      put(text, length);
      if (written + 13 < sizeof whole) memcpy(whole + written, "lorem ipsum ", 13), written += 12;
    }
    snprintf(text, sizeof text, "{\"type\":\"assistant\",\"message\":{\"id\":\"msg_%ld\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"claude-opus-5-5\",\"content\":[{\"type\":\"text\",\"text\":\"%s\"}],\"stop_reason\":null,\"stop_sequence\":null," USAGE "}," IDS "}\n", answer, whole);
    say(text);
    snprintf(text, sizeof text, EVENT("{\"type\":\"content_block_stop\",\"index\":0}"), answer);
    say(text);
    snprintf(text, sizeof text, EVENT("{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\",\"stop_sequence\":null}," USAGE "}"), answer);
    say(text);
    snprintf(text, sizeof text, EVENT("{\"type\":\"message_stop\"}"), answer);
    say(text);
  }
}

// The same message repeatedly.
static void repeat(long messages, long bytes) {
  const char *head = "{\"type\":\"assistant\",\"message\":{\"id\":\"msg_1\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"claude-opus-5-5\",\"content\":[{\"type\":\"text\",\"text\":\"";
  const char *tail = "\"}],\"stop_reason\":null,\"stop_sequence\":null," USAGE "}," IDS "}\n";
  if (bytes < 500) {
    head = "{\"type\":\"assistant\",\"message\":{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"";
    tail = "\"}]},\"parent_tool_use_id\":null,\"session_id\":\"s\",\"uuid\":\"u\"}\n";
  }
  size_t before = strlen(head), after = strlen(tail);
  size_t fill = bytes > (long)(before + after) ? (size_t)bytes - before - after : 1;
  char *message = malloc(before + fill + after);
  if (!message) exit(1);
  memcpy(message, head, before);
  for (size_t i = 0; i < fill; i++) message[before + i] = "lorem ipsum "[i % 12];
  memcpy(message + before + fill, tail, after);
  for (long i = 0; i < messages; i++) put(message, before + fill + after);
  free(message);
}

static void talk(const char *uuid) {
  static long turns = 0;
  char text[1024], names[256] = "";
  if (uuid[0]) {
    snprintf(text, sizeof text, "{\"type\":\"command_lifecycle\",\"command_uuid\":\"%s\",\"state\":\"started\",\"uuid\":\"u\",\"session_id\":\"s\"}\n", uuid);
    say(text);
  }
  say("{\"type\":\"system\",\"subtype\":\"init\",\"cwd\":\"/\",\"session_id\":\"s\",\"tools\":[\"Bash\"],\"mcp_servers\":[],\"model\":\"stub\",\"permissionMode\":\"default\",\"claude_code_version\":\"2.1.325\",\"uuid\":\"u\"}\n");
  ask(setting("STUB_HOOKS", 0), "{\"type\":\"control_request\",\"request_id\":\"h%ld\",\"request\":{\"subtype\":\"hook_callback\",\"callback_id\":\"hook_0\",\"input\":{\"session_id\":\"s\",\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"ls\"},\"tool_use_id\":\"t%ld\",\"transcript_path\":\"/t\",\"cwd\":\"/\"},\"tool_use_id\":\"t%ld\"}}\n");
  ask(setting("STUB_PERMISSIONS", 0), "{\"type\":\"control_request\",\"request_id\":\"p%ld\",\"request\":{\"subtype\":\"can_use_tool\",\"tool_name\":\"Write\",\"display_name\":\"Write\",\"input\":{\"file_path\":\"/abs/out%ld.txt\",\"content\":\"orig\"},\"description\":\"out.txt\",\"permission_suggestions\":[{\"type\":\"setMode\",\"mode\":\"acceptEdits\",\"destination\":\"session\"}],\"tool_use_id\":\"t%ld\"}}\n");
  stream(setting("STUB_DELTAS", 0), setting("STUB_ANSWER", 500));
  repeat(setting("STUB_MESSAGES", 0), setting("STUB_BYTES", 900));
  if (uuid[0]) snprintf(names, sizeof names, ",\"user_message_uuid\":\"%s\",\"user_message_uuids\":[\"%s\"]", uuid, uuid);
  snprintf(text, sizeof text, "{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"duration_ms\":1,\"duration_api_ms\":1,\"num_turns\":1,\"result\":\"done\",\"session_id\":\"s\",\"total_cost_usd\":0,\"usage\":{},\"modelUsage\":{},\"permission_denials\":[],\"uuid\":\"result-%ld\"%s}\n", ++turns, names);
  say(text);
  flush_out();
}

int main(int argc, char **argv) {
  int one_shot = 0;
  for (int i = 1; i < argc; i++) {
    if (!strcmp(argv[i], "--version")) {
      puts("2.1.325 (Claude Code)");
      return 0;
    }
    if (!strcmp(argv[i], "--print")) one_shot = 1;
    if (!strncmp(argv[i], "--input-format", 14)) one_shot = 0;
  }
  if (one_shot) {
    while (read(0, in, sizeof in) > 0);
    talk("");
    return 0;
  }
  char id[128], subtype[64], uuid[64], text[512];
  while (next_line()) {
    if (strstr(line, "\"control_request\"")) {
      field("request_id", id, sizeof id);
      field("subtype", subtype, sizeof subtype);
      snprintf(text, sizeof text, "{\"type\":\"control_response\",\"response\":{\"subtype\":\"success\",\"request_id\":\"%s\",\"response\":{\"commands\":[],\"models\":[],\"agents\":[],\"account\":{}}}}\n", id);
      say(text);
      flush_out();
      if (!strcmp(subtype, "end_session")) return 0;
    } else if (strstr(line, "\"type\":\"user\"")) {
      talk(field("uuid", uuid, sizeof uuid));
    }
  }
  return 0;
}
