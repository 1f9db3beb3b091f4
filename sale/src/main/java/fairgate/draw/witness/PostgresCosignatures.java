package fairgate.draw.witness;

import fairgate.draw.tlog.VerifierKey;
import fairgate.platform.postgres.PostgresDatabase;
import java.util.Collection;
import java.util.List;

/// The table `draw_cosignatures`. Calls block and are for virtual threads.
record PostgresCosignatures(PostgresDatabase database) {
  private static final int MAX_ROWS = 2_000;

  private static final String PUT =
      """
      INSERT INTO draw_cosignatures (origin, size, witness, checkpoint, line, seconds)
      VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING
      """;
  private static final String LATEST =
      """
      SELECT coalesce(max(size), 0) AS size FROM draw_cosignatures
      WHERE origin = $1 AND witness = $2
      """;

  /// Proofs are stored with their draws, so old cosignatures serve nothing.
  private static final String FORGET =
      """
      DELETE FROM draw_cosignatures
      WHERE origin = $1 AND witness = $2 AND size < $3 AND seconds < $4 - 30 * 86400
      """;

  private static final String AFTER =
      """
      SELECT size, checkpoint, witness, line FROM draw_cosignatures
      WHERE origin = $1 AND size > $2 AND witness = ANY ($3::text[]) AND seconds <= $4
      ORDER BY size, witness LIMIT $5
      """;
  private static final String OF_SIZE =
      "SELECT line FROM draw_cosignatures WHERE origin = $1 AND size = $2 ORDER BY witness";

  /// A cosignature.
  ///
  /// @param checkpoint with the signature of the log only
  /// @param seconds the witness's time
  record Cosignature(
      String origin,
      long size,
      VerifierKey witness,
      String checkpoint,
      String line,
      long seconds) {}

  record Cosigned(long size, String checkpoint, String line) {}

  void put(Cosignature it) {
    String witness = it.witness().text();
    int _ =
        database.tx(
            db -> {
              int _ =
                  db.update(
                      PUT,
                      it.origin(),
                      it.size(),
                      witness,
                      it.checkpoint(),
                      it.line(),
                      it.seconds());
              return db.update(FORGET, it.origin(), witness, it.size(), it.seconds());
            });
  }

  /// The size of the largest checkpoint that the witness has cosigned; 0 if there is none.
  long latestSize(String origin, VerifierKey witness) {
    return database.reading(
        db -> db.query(LATEST, origin, witness.text()).getFirst().getLong("size"));
  }

  /// The checkpoints of more than `index` leaves with the cosignatures of these witnesses, smallest
  /// first.
  ///
  /// @param until latest time of a cosignature, seconds since 1970
  List<Cosigned> after(String origin, long index, Collection<VerifierKey> witnesses, long until) {
    String[] keys = witnesses.stream().map(VerifierKey::text).toArray(String[]::new);
    return database.reading(
        db ->
            db.query(AFTER, origin, index, keys, until, MAX_ROWS).stream()
                .map(
                    row ->
                        new Cosigned(
                            row.getLong("size"),
                            row.getString("checkpoint"),
                            row.getString("line")))
                .toList());
  }

  /// The signature lines of all witnesses on the checkpoint of this size.
  String lines(String origin, long size) {
    return database.reading(
        db ->
            String.join(
                "",
                db.query(OF_SIZE, origin, size).stream()
                    .map(row -> row.getString("line"))
                    .toList()));
  }
}
