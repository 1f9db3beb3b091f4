package fairgate.app.risk;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/// A bundle with which a test chooses the step of a join: IPv6 gets the slider, a tool the code, a
/// bot the passkey. All others join with the usual challenge.
public final class StepBundle {
  public static final String CODE = "curl/8.7.1";
  public static final String PASSKEY = "ExampleBot/1.0";
  public static final String SLIDER = "2001:db8:7::1";

  private static final String TEXT =
      "\"text\": {\"en\": \"a rule\", \"zh-Hant\": \"規則\", \"zh-Hans\": \"规则\"}";

  private StepBundle() {}

  /// The settings of a server that judges by it.
  public static Map<String, String> settings(Path folder) {
    return settings(
        folder,
        rule("six", "address_family == 6", 20),
        rule("tool", "user_agent_kind == 'tool'", 50),
        rule("robot", "user_agent_kind == 'bot'", 80));
  }

  /// The same for pages in Chromium, which calls itself headless: only IPv6 gets a step.
  public static Map<String, String> settingsOfPages(Path folder) {
    return settings(folder, rule("six", "address_family == 6", 20));
  }

  private static Map<String, String> settings(Path folder, String... rules) {
    try {
      Path file =
          Files.writeString(
              folder.resolve("steps.json"),
              """
              {"format": 1, "schema": 1, "name": "steps", "bands": {
                "low": {"action": "silent_check"}, "medium": {"from": 20, "action": "slider"},
                "high": {"from": 50, "action": "code"}, "severe": {"from": 80, "action": "passkey"},
                "critical": {"from": 100, "action": "refuse"}}, "rules": [%s]}
              """
                  .formatted(String.join(",", rules)));
      return new HashMap<>(
          Map.of(
              "server.trusted_proxies", "127.0.0.1",
              "risk.mode", "enforce",
              "risk.bundle", file.toString()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String rule(String code, String when, int points) {
    return """
    {"code": "%s", "when": "route == 'join' && %s", "points": %d, "reason": "network", %s}\
    """
        .formatted(code, when, points, TEXT);
  }
}
