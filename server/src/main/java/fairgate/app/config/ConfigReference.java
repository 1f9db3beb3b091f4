package fairgate.app.config;

import java.util.stream.Collectors;

/// The reference page of all settings, `docs/operate/config.md`, made from the table.
public final class ConfigReference {
  private static final String HEAD =
      """
      # Settings

      Made by `./fairgate config reference`; edit the table in `ConfigKeys`, not this page.

      Later ones win: the default, `fairgate.yaml` (or the file named by `--config`), the environment,
      options of the command line. A name with a dot is a key in a section of the file:

      ```yaml
      server:
        port: 8443
      limits: on
      ```

      Every setting also has a name in the environment: `FAIRGATE_` and its path joined by `_`. Shorter
      names that work too come first in the last column. Beside a Kubernetes service called `fairgate`,
      the variables that Kubernetes itself adds (`FAIRGATE_PORT=tcp://...`) are passed over.
      An empty value counts as not set. `./fairgate config check` tells all that is wrong at once,
      `./fairgate config print` shows what applies.

      | Setting | Values | Default | What it does | Environment |
      | --- | --- | --- | --- | --- |
      """;

  private ConfigReference() {}

  /// The whole page.
  public static String markdown() {
    return HEAD + ConfigKeys.ALL.stream().map(ConfigReference::row).collect(Collectors.joining());
  }

  private static String row(ConfigKey key) {
    String fallback = key.fallback().isEmpty() ? "" : "`" + key.fallback() + "`";
    String names =
        key.environment().stream().map(name -> "`" + name + "`").collect(Collectors.joining(", "));
    return String.join(
            " | ", "| `" + key.name() + "`", key.kind().describe(), fallback, key.doc(), names)
        + " |\n";
  }
}
