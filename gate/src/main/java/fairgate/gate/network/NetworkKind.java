package fairgate.gate.network;

import java.util.Locale;

/// The use of a network.
public enum NetworkKind {
  /// Servers. People rarely buy from there, except through a VPN.
  HOSTING,
  /// A mobile carrier, where thousands of people share an address.
  MOBILE,
  RESIDENTIAL,
  EDUCATION,
  BUSINESS,
  UNKNOWN;

  /// The name in features and records; empty when unknown.
  public String word() {
    return this == UNKNOWN ? "" : name().toLowerCase(Locale.ROOT);
  }
}
