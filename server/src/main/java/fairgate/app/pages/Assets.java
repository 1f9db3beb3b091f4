package fairgate.app.pages;

import fairgate.kernel.ErrorCode;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import io.vertx.core.Future;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.JarURLConnection;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;

/// The files of `web/assets`, kept in memory, compressed once.
///
/// Pages ask for `/assets/{version}/name`, the version being a hash of all files: kept by browsers
/// for ever, and modules that import one another by relative paths stay together. Another version,
/// as during a rolling update, gets the present file, to be asked for again next time.
final class Assets {
  private static final String FOLDER = "web/assets";
  private static final Map<String, String> TYPES =
      Map.of(
          "js", "text/javascript; charset=utf-8",
          "css", "text/css; charset=utf-8",
          "svg", "image/svg+xml",
          "json", "application/json",
          "png", "image/png",
          "ico", "image/x-icon",
          "wasm", "application/wasm",
          "woff2", "font/woff2");

  private final Map<String, Asset> assets = new TreeMap<>();
  private final String version;

  Assets() {
    readAll();
    StringBuilder tags = new StringBuilder();
    assets.forEach((name, asset) -> tags.append(name).append(asset.tag));
    version = hash(tags.toString().getBytes(StandardCharsets.UTF_8));
  }

  /// The path in front of every asset's name, without a slash at its end.
  String base() {
    return "/assets/" + version;
  }

  List<Route> routes() {
    return List.of(
        Route.get("/assets/{version}/{name}", this::versioned),
        Route.get("/assets/{name}", request -> Future.succeededFuture(serve(request, false))));
  }

  private Future<Reply> versioned(Request request) {
    return Future.succeededFuture(serve(request, request.pathParam("version").equals(version)));
  }

  private Reply serve(Request request, boolean forEver) {
    Asset asset = assets.get(request.pathParam("name"));
    if (asset == null) {
      return Reply.refuse(Refusal.of(ErrorCode.NOT_FOUND));
    }
    String tag = "\"" + asset.tag + "\"";
    String cache = forEver ? "public, max-age=31536000, immutable" : "no-cache";
    String known = request.header("if-none-match");
    if (known != null && known.contains(asset.tag)) {
      return Reply.bytes(304, asset.type, new byte[0])
          .header("etag", tag)
          .header("cache-control", cache);
    }
    String accepted = request.header("accept-encoding");
    boolean zip =
        asset.zipped.length < asset.plain.length && accepted != null && accepted.contains("gzip");
    Reply reply =
        Reply.bytes(200, asset.type, zip ? asset.zipped : asset.plain)
            .header("etag", tag)
            .header("cache-control", cache)
            .header("vary", "accept-encoding");
    return zip ? reply.header("content-encoding", "gzip") : reply;
  }

  private void readAll() {
    URL folder = Assets.class.getClassLoader().getResource(FOLDER);
    if (folder == null) {
      throw new IllegalStateException("the jar lacks " + FOLDER);
    }
    try {
      if (folder.openConnection() instanceof JarURLConnection connection) {
        readJar(connection);
      } else {
        readFolder(Path.of(folder.toURI()));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  private void readJar(JarURLConnection connection) throws IOException {
    connection.setUseCaches(false);
    try (JarFile jar = connection.getJarFile()) {
      for (var entry : jar.stream().toList()) {
        if (entry.getName().startsWith(FOLDER + "/") && !entry.isDirectory()) {
          try (InputStream in = jar.getInputStream(entry)) {
            add(entry.getName().substring(FOLDER.length() + 1), in.readAllBytes());
          }
        }
      }
    }
  }

  private void readFolder(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        add(file.getFileName().toString(), Files.readAllBytes(file));
      }
    }
  }

  private void add(String name, byte[] bytes) throws IOException {
    String type = TYPES.get(name.substring(name.lastIndexOf('.') + 1));
    if (type != null) {
      assets.put(name, new Asset(type, bytes));
    }
  }

  private static byte[] zip(byte[] bytes) throws IOException {
    ByteArrayOutputStream zipped = new ByteArrayOutputStream(bytes.length / 2 + 64);
    try (GZIPOutputStream out = new Smallest(zipped)) {
      out.write(bytes);
    }
    return zipped.toByteArray();
  }

  private static String hash(byte[] bytes) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(bytes);
      return Base64.getUrlEncoder().withoutPadding().encodeToString(digest).substring(0, 16);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  private static final class Smallest extends GZIPOutputStream {
    Smallest(ByteArrayOutputStream out) throws IOException {
      super(out);
      def.setLevel(Deflater.BEST_COMPRESSION);
    }
  }

  private static final class Asset {
    private final String type;
    private final String tag;
    private final byte[] plain;
    private final byte[] zipped;

    Asset(String type, byte[] plain) throws IOException {
      this.type = type;
      this.tag = hash(plain);
      this.plain = plain;
      this.zipped = zip(plain);
    }
  }
}
