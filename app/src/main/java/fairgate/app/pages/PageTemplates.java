package fairgate.app.pages;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// The templates `web/*.html`. In a template, `{{name}}` is a value, escaped unless it is [Html];
/// `{{t:key}}` is a text of the dictionary; `{{current:zh-Hant}}` marks the current language.
final class PageTemplates {
  private final Map<String, String> loaded = new ConcurrentHashMap<>();

  /// Renders a template. Throws IllegalArgumentException when a value is missing.
  ///
  /// @param name file name without `.html`
  Html fill(String name, Dictionary words, Map<String, ?> values) {
    String template = loaded.computeIfAbsent(name, PageTemplates::read);
    StringBuilder page = new StringBuilder(template.length() * 2);
    int at = 0;
    while (true) {
      int open = template.indexOf("{{", at);
      if (open < 0) {
        return new Html(page.append(template, at, template.length()).toString());
      }
      int close = template.indexOf("}}", open);
      page.append(template, at, open);
      page.append(value(template.substring(open + 2, close), words, values));
      at = close + 2;
    }
  }

  private static String value(String key, Dictionary words, Map<String, ?> values) {
    if (key.startsWith("t:")) {
      return Html.escape(words.text(key.substring(2)));
    }
    if (key.startsWith("current:")) {
      return key.endsWith(":" + words.language().tag()) ? "aria-current=\"true\"" : "";
    }
    @Nullable Object value = values.get(key);
    if (value == null) {
      throw new IllegalArgumentException("no value for template variable " + key);
    }
    return value instanceof Html html ? html.text() : Html.escape(value.toString());
  }

  private static String read(String name) {
    String resource = "/web/" + name + ".html";
    try (InputStream in = PageTemplates.class.getResourceAsStream(resource)) {
      if (in == null) {
        throw new IllegalStateException("missing from the jar: " + resource);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
