package fairgate.draw;

import fairgate.draw.tlog.Hash;
import fairgate.draw.tlog.HashList;
import fairgate.platform.json.Json;
import fairgate.platform.json.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Objects;

/// The test vectors of draws, computed by an independent reference in Python.
public final class DrawVectors {
  private final JsonObject json = Json.parseObject(resource("draw_vectors.json"));

  /// The content of a test resource.
  public static byte[] resource(String name) {
    try (InputStream in = DrawVectors.class.getResourceAsStream(name)) {
      return Objects.requireNonNull(in, name).readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public String text(String name) {
    return (String) Objects.requireNonNull(json.get(name), name);
  }

  /// A text of the beacon.
  public String beacon(String name) {
    return (String) Objects.requireNonNull(object("beacon").get(name), name);
  }

  public Hash hash(String name) {
    return Hash.ofHex(text(name));
  }

  public List<Hash> hashes(String name) {
    return ((List<?>) Objects.requireNonNull(json.get(name), name))
        .stream().map(each -> Hash.ofHex((String) Objects.requireNonNull(each))).toList();
  }

  public HashList leaves() {
    return HashList.of(hashes("leaf"));
  }

  public List<Integer> numbers(String name) {
    return ((List<?>) Objects.requireNonNull(json.get(name), name))
        .stream().map(each -> ((Long) Objects.requireNonNull(each)).intValue()).toList();
  }

  public JsonObject object(String name) {
    return (JsonObject) Objects.requireNonNull(json.get(name), name);
  }
}
