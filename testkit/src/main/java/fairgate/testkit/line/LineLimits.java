package fairgate.testkit.line;

import com.fasterxml.jackson.databind.JsonNode;
import fairgate.testkit.line.LineApi.Answer;
import java.util.ArrayList;
import java.util.List;

/// The limits of LINE for replies and pushes: number of messages, length of texts, known actions.
final class LineLimits {
  private LineLimits() {}

  /// 200, or 400 with the first problem.
  static Answer check(JsonNode body) {
    List<String> problems = new ArrayList<>();
    JsonNode messages = body.path("messages");
    if (messages.isEmpty() || messages.size() > 5) {
      problems.add("messages: must be 1 to 5");
    }
    messages.forEach(message -> message(message, problems));
    return problems.isEmpty()
        ? Answer.of(200, LineApi.JSON.createObjectNode())
        : Answer.problem(400, problems.getFirst());
  }

  private static void message(JsonNode message, List<String> problems) {
    switch (message.path("type").asText()) {
      case "text" -> length(message, "text", 1, 5_000, problems);
      case "template" -> {
        length(message, "altText", 1, 400, problems);
        JsonNode columns = message.path("template").path("columns");
        if (!message.path("template").path("type").asText().equals("carousel")
            || columns.isEmpty()
            || columns.size() > 10) {
          problems.add("template: must be a carousel of 1 to 10 columns");
        }
        int actions = columns.path(0).path("actions").size();
        columns.forEach(column -> column(column, actions, problems));
      }
      default -> problems.add("type: unknown message");
    }
    JsonNode quick = message.path("quickReply").path("items");
    if (quick.size() > 13) {
      problems.add("quickReply: more than 13");
    }
    quick.forEach(item -> action(item.path("action"), problems));
  }

  private static void column(JsonNode column, int actions, List<String> problems) {
    length(column, "title", 1, 40, problems);
    length(column, "text", 1, 60, problems);
    if (column.path("actions").size() != actions || actions < 1 || actions > 3) {
      problems.add("actions: 1 to 3, and as many in every column");
    }
    column.path("actions").forEach(action -> action(action, problems));
  }

  private static void action(JsonNode action, List<String> problems) {
    length(action, "label", 1, 20, problems);
    switch (action.path("type").asText()) {
      case "postback" -> {
        length(action, "data", 1, 300, problems);
        length(action, "displayText", 1, 300, problems);
      }
      case "message" -> length(action, "text", 1, 300, problems);
      case "uri" -> {
        length(action, "uri", 1, 1_000, problems);
        if (!action.path("uri").asText().matches("https?://.+")) {
          problems.add("uri: scheme");
        }
      }
      case "location" -> {}
      default -> problems.add("action: unknown");
    }
  }

  private static void length(
      JsonNode json, String name, int least, int max, List<String> problems) {
    int length = json.path(name).asText().length();
    if (length < least || length > max) {
      problems.add(name + ": must be " + least + " to " + max + " characters, not " + length);
    }
  }
}
