package fairgate.link.cache;

/// The Redis keys of links; `docs/redis-keys.md` describes their values.
final class LinkKeys {
  /// The tag of all keys in a cluster: the position of updates must be lost together with the
  /// cached links.
  static final String TAG = "sl";

  /// The position up to which Redis has the changes.
  static final String TOLD = "links:told";

  private LinkKeys() {}

  /// A cached link.
  static String link(String code) {
    return "sl:" + code;
  }
}
