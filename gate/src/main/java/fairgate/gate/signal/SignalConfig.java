package fairgate.gate.signal;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// Settings of signals.
///
/// @param transport what trusted proxies report
/// @param behavior whether numbers of a visitor's behavior on the page are evidence
/// @param alarmFailures refused requests of one client in ten minutes from which the alarm counts
///   it
public record SignalConfig(Transport transport, boolean behavior, int alarmFailures) {
  /// The defaults: no headers of proxies.
  public static SignalConfig defaults() {
    return new SignalConfig(Transport.none(), true, 300);
  }

  /// Settings of the evidence that a trusted proxy reports. A header without a name is not read.
  ///
  /// @param ja4Header name of the header with the JA4 fingerprint of the TLS handshake
  /// @param headerOrderHeader name of the header with a hash of the order of the client's headers
  /// @param httpVersionHeader name of the header with the HTTP version of the client's connection
  /// @param ja4 known beginnings of JA4 fingerprints with their clients
  /// @param headerOrders known hashes of header orders with their clients
  public record Transport(
      String ja4Header,
      String headerOrderHeader,
      String httpVersionHeader,
      List<Known> ja4,
      List<Known> headerOrders) {
    public Transport {
      ja4 = List.copyOf(ja4);
      headerOrders = List.copyOf(headerOrders);
    }

    public static Transport none() {
      return new Transport("", "", "", List.of(), List.of());
    }

    /// A known value.
    ///
    /// @param client `chromium`, `firefox`, `safari`, or any other word for a client that is none
    ///   of them
    /// @param value the beginning of the value
    public record Known(String client, String value) {
      /// Parses `client:value`. Throws IllegalArgumentException for other texts.
      public static Known parse(String text) {
        int colon = text.indexOf(':');
        if (colon < 1 || colon == text.length() - 1) {
          throw new IllegalArgumentException(text + " is not client:value");
        }
        return new Known(
            text.substring(0, colon).strip().toLowerCase(Locale.ROOT),
            text.substring(colon + 1).strip());
      }

      /// Parses a list of `client:value`.
      public static List<Known> parseAll(List<String> texts) {
        List<Known> all = new ArrayList<>();
        texts.forEach(text -> all.add(parse(text)));
        return all;
      }
    }
  }
}
