package fairgate.link.cache;

import fairgate.link.cache.Lookup.Hit;
import org.jspecify.annotations.Nullable;

/// The links in demand, before the memory that holds them all: found by the code's characters
/// packed into a number, without a key to compare and without keeping book of who was asked for.
/// With ten thousand links in demand what a redirect costs is memory that is in no cache of the
/// processor; a link found here costs its place and itself.
///
/// Nothing is told to forget: whoever replaces or drops a link says so on the old one ([Hit#end]).
/// Safe for use by any thread; threads may overwrite each other's places.
final class HotLinks {
  private static final int PLACES = 1 << 16;

  /// Ten characters of six bits.
  private static final int LONGEST = 10;

  /// Every so many finds one is to be told to whoever decides which links stay in memory.
  private static final int TOLD = 16;

  private volatile @Nullable Hit[] places = new Hit[PLACES];

  /// A code as a number; 0 = too long to be kept here. Differs for different codes.
  ///
  /// @param code of `a-z`, `0-9`, `-` and `_`
  static long pack(String code) {
    int length = code.length();
    if (length > LONGEST) {
      return 0;
    }
    long packed = 0;
    for (int i = 0; i < length; i++) {
      char c = code.charAt(i);
      packed = (packed << 6) | (c & 0x1f) | ((c & 0x40) >> 1);
    }
    return packed;
  }

  /// Where links are kept now. Take it before the link is looked up elsewhere.
  @Nullable Hit[] places() {
    return places;
  }

  /// The link of a packed code, unless it was replaced since; null = not here. It may have had its
  /// time.
  static @Nullable Hit find(@Nullable Hit[] places, long packed) {
    int at = at(packed);
    Hit hit = places[at];
    if (hit == null || hit.packed() != packed) {
      hit = places[at ^ 1];
    }
    return hit != null && hit.packed() == packed && packed != 0 && !hit.ended() ? hit : null;
  }

  /// Keeps a link at one of its two places.
  ///
  /// @param places as of before it was looked up: what was forgotten meanwhile does not come back
  static void keep(@Nullable Hit[] places, Hit hit) {
    long packed = hit.packed();
    if (packed == 0) {
      return;
    }
    int at = at(packed);
    Hit there = places[at];
    boolean free = there == null || there.packed() == packed || there.ended();
    places[free ? at : at ^ 1] = hit;
  }

  /// Whether this find is one of those to be told.
  static boolean told(Hit hit) {
    return (hit.found() & (TOLD - 1)) == 0;
  }

  /// Forgets all.
  void clear() {
    places = new Hit[PLACES];
  }

  private static int at(long packed) {
    return (int) ((packed * 0x9E3779B97F4A7C15L) >>> 48);
  }
}
