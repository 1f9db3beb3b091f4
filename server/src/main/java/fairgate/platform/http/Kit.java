package fairgate.platform.http;

import fairgate.kernel.Ids;
import fairgate.platform.text.Language;
import fairgate.platform.text.Languages;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// What every request of one server shares.
record Kit(Ids ids, DeviceCookie devices, LanguageCache languages, HttpConfig config) {
  Kit(HttpSeams seams, HttpConfig config) {
    this(seams.ids(), new DeviceCookie(seams.ids(), seams.keys()), new LanguageCache(), config);
  }

  /// Remembers what common `Accept-Language` headers mean. It stops learning when full, so that
  /// strangers cannot grow it.
  static final class LanguageCache {
    private static final int MOST = 512;
    private static final int LONGEST = 128;

    private final Map<String, Language> known = new ConcurrentHashMap<>();

    Language pick(@Nullable String header) {
      if (header == null) {
        return Languages.DEFAULT;
      }
      Language language = known.get(header);
      if (language == null) {
        language = Languages.pick(header);
        if (header.length() <= LONGEST && known.size() < MOST) {
          known.put(header, language);
        }
      }
      return language;
    }
  }
}
