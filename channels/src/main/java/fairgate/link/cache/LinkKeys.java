package fairgate.link.cache;

/// The names of the links' Redis keys; `docs/redis-keys.md` says what each holds.
final class LinkKeys {
  /// What all of them share in a cluster, before their names: how far Redis was told of changes
  /// must be lost with what it was told.
  static final String TAG = "sl";

  /// How far Redis has been told of changes.
  static final String TOLD = "links:told";

  private LinkKeys() {}

  /// A cached link.
  static String link(String code) {
    return "sl:" + code;
  }
}
