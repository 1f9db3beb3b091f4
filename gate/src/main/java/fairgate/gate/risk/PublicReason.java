package fairgate.gate.risk;

import fairgate.kernel.Word;
import java.util.Arrays;
import java.util.Optional;

/// The reasons that buyers are told. There are few and they are coarse, so that a program cannot
/// find out which rule it met; operators see the rules themselves.
public enum PublicReason implements Word {
  /// The kind of network: a data centre, a proxy, a VPN.
  NETWORK,
  /// Many requests from the same address or network.
  CROWDED_NETWORK,
  /// Requests in a pattern that programs have.
  AUTOMATION,
  /// The browser does not behave as the browser that it claims to be.
  BROWSER,
  /// The device is used by many accounts, or changed within a place.
  DEVICE,
  /// The account is new or has no verified identity.
  ACCOUNT,
  /// Earlier orders were not paid or were cancelled.
  HISTORY,
  /// Too many requests in a short time.
  FREQUENCY,
  /// The challenge was solved in an unusual way.
  CHALLENGE,
  /// The request resembles many others.
  CROWD,
  /// The person or account has a verified identity or a good history; lowers the risk.
  TRUST,
  /// Several small signs together.
  COMBINATION;

  public static Optional<PublicReason> named(String word) {
    return Arrays.stream(values()).filter(reason -> reason.word().equals(word)).findFirst();
  }
}
