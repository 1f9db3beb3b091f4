package fairgate.kernel;

import java.util.Locale;

/// An enum whose constants have their names in lower case outside of Java: in JSON, PostgreSQL,
/// settings, metrics and texts.
public interface Word {
  String name();

  default String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
