package fairgate.app;

import java.nio.file.Path;

/// Selects the log configuration, through system properties because it must happen before the first
/// logger exists.
final class Logs {
  private Logs() {}

  /// Readable lines on standard error and in `logs/fairgate.log` of the data folder.
  static void forPeople(Path dataDir) {
    System.setProperty("fairgate.logs", dataDir.resolve("logs").toString());
    use("fairgate/app/logback-up.xml");
  }

  /// One JSON object per line on standard error.
  static void forMachines() {
    use("fairgate/app/logback-serve.xml");
  }

  private static void use(String file) {
    System.setProperty("logback.configurationFile", file);
  }
}
