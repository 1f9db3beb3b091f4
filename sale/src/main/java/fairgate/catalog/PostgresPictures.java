package fairgate.catalog;

import fairgate.platform.postgres.PostgresDatabase;
import io.vertx.core.buffer.Buffer;
import java.util.Optional;

/// The table of pictures.
record PostgresPictures(PostgresDatabase database) {
  /// One upload at a time, so that they cannot exceed the total together.
  private static final String LOCK = "SELECT pg_advisory_xact_lock(4701784)";

  private static final String RENEW = "UPDATE pictures SET uploaded_at = now() WHERE id = $1";
  private static final String TOTAL = "SELECT coalesce(sum(octet_length(bytes)), 0) FROM pictures";
  private static final String ADD =
      "INSERT INTO pictures (id, type, bytes, actor) VALUES ($1, $2, $3, $4)";
  private static final String FIND = "SELECT type, bytes FROM pictures WHERE id = $1";

  /// A stored picture.
  ///
  /// @param type media type
  record Picture(String type, byte[] bytes) {}

  /// Stores a picture unless it is stored; false if all together would be longer than the maximum.
  boolean add(String id, String type, byte[] bytes, String actor, long maxTotalBytes) {
    return database.tx(
        db -> {
          var _ = db.query(LOCK);
          if (db.update(RENEW, id) > 0) {
            return true;
          }
          if (db.query(TOTAL).getFirst().getLong(0) + bytes.length > maxTotalBytes) {
            return false;
          }
          return db.update(ADD, id, type, Buffer.buffer(bytes), actor) > 0;
        });
  }

  Optional<Picture> find(String id) {
    return database.rows(FIND, id).stream()
        .findFirst()
        .map(row -> new Picture(row.getString("type"), row.getBuffer("bytes").getBytes()));
  }
}
