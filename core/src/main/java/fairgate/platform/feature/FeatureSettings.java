package fairgate.platform.feature;

import java.util.List;

/// Settings of a feature with rules between them.
public interface FeatureSettings {
  /// The problems of settings that contradict each other, in words for the operator.
  ///
  /// @param serve whether they are for `serve`, whose conditions are stricter
  List<String> problems(boolean serve);

  /// The shop's address as buyers see it; empty if it is not among them.
  default String shopUrl() {
    return "";
  }
}
