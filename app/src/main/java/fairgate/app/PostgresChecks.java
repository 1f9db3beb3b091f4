package fairgate.app;

import fairgate.app.config.Finding;
import fairgate.app.config.Finding.Refused;
import fairgate.app.config.Finding.Warning;
import fairgate.platform.postgres.PostgresFitness;
import java.util.ArrayList;
import java.util.List;

/// The preflight checks of PostgreSQL.
final class PostgresChecks {
  private static final String OFF = "off";

  private PostgresChecks() {}

  /// The findings about the database.
  static List<Finding> findings(PostgresFitness postgres) {
    List<Finding> findings = new ArrayList<>();
    if (!postgres.fit()) {
      findings.add(new Refused("postgresql: " + postgres.words()));
    }
    if (isOff(postgres, "fsync")) {
      findings.add(
          new Refused(
              "postgresql fsync off: when the machine dies, the database with all orders can be"
                  + " damaged beyond repair; set fsync on"));
    }
    if (isOff(postgres, "full_page_writes")) {
      findings.add(
          new Warning(
              "postgresql full_page_writes off: when the machine dies, pages that were half written"
                  + " stay damaged, unless the storage writes whole pages; set full_page_writes"
                  + " on"));
    }
    if (isOff(postgres, "synchronous_commit")) {
      findings.add(
          new Warning(
              "postgresql synchronous_commit off: when the machine dies, the last second of"
                  + " answered payments, refunds and settings is lost; set synchronous_commit on"));
    }
    return findings;
  }

  private static boolean isOff(PostgresFitness postgres, String setting) {
    return OFF.equals(postgres.durability().get(setting));
  }
}
