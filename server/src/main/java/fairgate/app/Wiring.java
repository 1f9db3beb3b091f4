package fairgate.app;

import java.util.Map;

/// Puts the features together; reads like a table of contents. Holds no features yet: the server it
/// starts answers nobody.
final class Wiring {
  private Wiring() {}

  /// Starts everything that needs the engines and returns once requests are accepted.
  ///
  /// @throws RuntimeException with a message for the operator when it cannot start; then nothing is
  ///   left running
  static Running start(FairgateConfig config, EngineAddresses engines, Seams seams) {
    int port = config.server().port();
    return new Running() {
      @Override
      public int port() {
        return port;
      }

      @Override
      public Map<String, String> facts() {
        return Map.of();
      }

      @Override
      public void close() {
        // Nothing was started.
      }
    };
  }
}
