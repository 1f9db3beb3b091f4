package fairgate.prove.check;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import fairgate.prove.check.LedgerSnapshot.Row;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/// Reads the leaves of the public logs of draws. Shares no code with the server.
final class LogLeaves {
  private static final ObjectMapper JSON = new ObjectMapper();

  private LogLeaves() {}

  /// The texts of the leaves of a log, in order.
  static List<String> texts(Connection sql, String origin) throws SQLException {
    return column(sql, origin, "data").stream()
        .map(data -> new String(data, StandardCharsets.UTF_8))
        .toList();
  }

  /// The hashes of the leaves of a log, in order, as PostgreSQL has them.
  static List<byte[]> hashes(Connection sql, String origin) throws SQLException {
    return column(sql, origin, "hash");
  }

  private static List<byte[]> column(Connection sql, String origin, String column)
      throws SQLException {
    List<Row> rows =
        LedgerSnapshot.rows(
            sql, "SELECT hash, data FROM draw_leaves WHERE origin = ? ORDER BY index", origin);
    return rows.stream()
        .map(row -> row.columns().get(column) instanceof byte[] bytes ? bytes : new byte[0])
        .toList();
  }

  /// The value of a line of a leaf; "0" if it has no such line.
  static String field(String leaf, String name) {
    return leaf.lines()
        .filter(line -> line.startsWith(name + " "))
        .map(line -> line.substring(name.length() + 1))
        .findFirst()
        .orElse("0");
  }

  /// The JSON of a text; an empty object if it is malformed.
  static JsonNode json(String text) {
    try {
      return JSON.readTree(text);
    } catch (JsonProcessingException e) {
      return JSON.createObjectNode();
    }
  }

  /// The hash of a leaf by RFC 6962.
  static byte[] leafHash(String leaf) {
    return hash(new byte[] {0}, leaf.getBytes(StandardCharsets.UTF_8));
  }

  /// SHA-256 of these parts, one after the other.
  static byte[] hash(byte[]... parts) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      for (byte[] part : parts) {
        digest.update(part);
      }
      return digest.digest();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("SHA-256 is missing from this Java", e);
    }
  }
}
