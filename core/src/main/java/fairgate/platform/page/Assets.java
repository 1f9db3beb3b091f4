package fairgate.platform.page;

import static fairgate.platform.http.RouteLimits.FREE;

import fairgate.kernel.ErrorCode;
import fairgate.kernel.Hashes;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.text.FeatureFiles;
import io.vertx.core.Future;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// The files of `web/assets` and of the features' folders `assets`, in memory. No two have one
/// name.
///
/// Pages link to `/assets/{version}/name`, where the version is a hash of all files. Browsers cache
/// them for ever, and modules that import each other by relative paths have the same version. A
/// request for another version, as during a rolling update, gets the current file without long
/// caching.
public final class Assets {
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

  /// The files of the jar, which several pages need.
  private static final Map<String, Asset> FILES = readAll();

  private static final String VERSION = version();

  private final Map<String, Asset> assets = new TreeMap<>(FILES);

  private static String version() {
    StringBuilder tags = new StringBuilder();
    FILES.forEach((name, asset) -> tags.append(name).append(asset.tag));
    return hash(tags.toString().getBytes(StandardCharsets.UTF_8));
  }

  /// Adds a style sheet that is not a file. It does not change the version, so pages link to it
  /// with a query that changes with its content.
  public void addStyle(String name, String css) {
    add(assets, name, css.getBytes(StandardCharsets.UTF_8));
  }

  /// The path prefix of every asset, without a slash at the end.
  public String base() {
    return "/assets/" + VERSION;
  }

  public List<Route> routes() {
    return List.of(
        Route.get("/assets/{version}/{name}", this::versioned).limits(FREE),
        Route.get("/assets/{name}", request -> Future.succeededFuture(serve(request, false)))
            .limits(FREE));
  }

  private Future<Reply> versioned(Request request) {
    return Future.succeededFuture(serve(request, request.pathParam("version").equals(VERSION)));
  }

  private Reply serve(Request request, boolean forEver) {
    Asset asset = assets.get(request.pathParam("name"));
    if (asset == null) {
      return Reply.refuse(ErrorCode.NOT_FOUND);
    }
    String tag = "W/\"" + asset.tag + "\"";
    String cache = forEver ? "public, max-age=31536000, immutable" : "no-cache";
    String known = request.header("if-none-match");
    if (known != null && known.contains(asset.tag)) {
      return Reply.bytes(304, asset.type, new byte[0])
          .header("etag", tag)
          .header("cache-control", cache);
    }
    return asset.whole.header("etag", tag).header("cache-control", cache);
  }

  private static Map<String, Asset> readAll() {
    Map<String, Asset> files = new TreeMap<>();
    FeatureFiles.in("assets").forEach((name, bytes) -> add(files, name, bytes));
    return files;
  }

  private static void add(Map<String, Asset> assets, String name, byte[] bytes) {
    String type = TYPES.get(name.substring(name.lastIndexOf('.') + 1));
    if (type != null) {
      assets.put(name, new Asset(type, bytes));
    }
  }

  private static String hash(byte[] bytes) {
    byte[] digest = Hashes.sha256(bytes);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(digest).substring(0, 16);
  }

  private static final class Asset {
    private final String type;
    private final String tag;
    private final Reply whole;

    Asset(String type, byte[] bytes) {
      this.type = type;
      this.tag = hash(bytes);
      this.whole = Reply.bytes(200, type, bytes).compressible();
    }
  }
}
