package fairgate.platform.postgres;

import fairgate.kernel.KeyRing;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The table `master_keys` with fingerprints of the signing keys used with this database. A node
/// with another master secret would issue session ids, codes and cookies that other nodes refuse.
public final class MasterKeys {
  private static final Logger LOG = LoggerFactory.getLogger(MasterKeys.class);
  private static final String PURPOSE = "master-key-fingerprint";

  /// Only one of two nodes that start at the same time may be the first.
  private static final String LOCK = "LOCK TABLE master_keys IN EXCLUSIVE MODE";

  private static final String KNOWN = "SELECT key_id, fingerprint FROM master_keys";
  private static final String ADD =
      """
      INSERT INTO master_keys (key_id, fingerprint) VALUES ($1, $2)
      ON CONFLICT (key_id) DO UPDATE SET fingerprint = excluded.fingerprint, added_at = now()
      """;
  private static final String AUDITED =
      "SELECT DISTINCT key_id FROM audit_days WHERE key_id <> ALL ($1::text[]) ORDER BY key_id";

  private MasterKeys() {}

  /// Compares the keys with the known fingerprints and adds new ones. Blocks.
  ///
  /// @param refuses whether other keys are refused; otherwise they are added, with an error in the
  ///   log
  /// @return the reason for the refusal and what to do; empty when the keys are accepted
  public static Optional<String> check(PostgresDatabase database, KeyRing keys, boolean refuses) {
    String problem = database.tx(db -> compare(db, keys, refuses));
    if (!problem.isEmpty()) {
      if (refuses) {
        return Optional.of(
            problem
                + " Set the master_secret of the other nodes (FAIRGATE_MASTER_SECRET). If it is"
                + " lost, and with it codes, places and sessions, run `DELETE FROM master_keys` in"
                + " the database and start again.");
      }
      LOG.error(
          "{} It is taken into use: codes, places in queues, sessions and the audit log of the old"
              + " keys cannot be read with it. If you have a backup, stop the server and put the old"
              + " secret back (secrets/master-secret in the data folder).",
          problem);
    }
    List<String> audited =
        database.tx(
            db ->
                db.list(
                    AUDITED, row -> row.getString(0), (Object) keys.ids().toArray(String[]::new)));
    if (!audited.isEmpty()) {
      LOG.warn("master_secret lacks keys of the audit log: `audit verify` needs {}", audited);
    }
    return Optional.empty();
  }

  private static String compare(Db db, KeyRing keys, boolean refuses) {
    db.update(LOCK);
    Map<String, String> known = new TreeMap<>();
    db.query(KNOWN).forEach(row -> known.put(row.getString(0), row.getString(1)));
    String problem = problem(known, keys);
    if (problem.isEmpty() || !refuses) {
      keys.ids().stream()
          .filter(id -> !fingerprint(keys, id).equals(known.get(id)))
          .forEach(id -> db.update(ADD, id, fingerprint(keys, id)));
    }
    return problem;
  }

  private static String problem(Map<String, String> known, KeyRing keys) {
    List<String> others = new ArrayList<>();
    boolean shared = false;
    for (String id : keys.ids()) {
      if (known.containsKey(id)) {
        boolean same = Objects.equals(known.get(id), fingerprint(keys, id));
        shared |= same;
        if (!same) {
          others.add(id);
        }
      }
    }
    if (!others.isEmpty()) {
      return "master_secret: the key "
          + String.join(", ", others)
          + " is not the one that these data know by this name.";
    }
    return shared || known.isEmpty()
        ? ""
        : "master_secret: none of its keys (%s) is known to these data, which know %s."
            .formatted(String.join(", ", keys.ids()), String.join(", ", known.keySet()));
  }

  private static String fingerprint(KeyRing keys, String id) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(keys.sign(id, PURPOSE, id));
  }
}
