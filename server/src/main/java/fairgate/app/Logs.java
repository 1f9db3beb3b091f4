package fairgate.app;

import java.nio.file.Path;

/// Where and how the program logs. Chosen before the first logger exists, hence by properties.
final class Logs {
  private Logs() {}

  /// Lines for people on standard error and in `logs/fairgate.log` of the data folder.
  static void forPeople(Path dataDir) {
    System.setProperty("fairgate.logs", dataDir.resolve("logs").toString());
    use("fairgate/app/logback-up.xml");
  }

  /// One JSON object a line on standard error.
  static void forMachines() {
    use("fairgate/app/logback-serve.xml");
  }

  private static void use(String file) {
    System.setProperty("logback.configurationFile", file);
  }
}
