package fairgate.account.message;

import java.util.Locale;

/// A way to reach a person.
public enum Channel {
  SMS,
  EMAIL;

  /// The name in the outbox, in settings, metrics and webhooks.
  public String wireName() {
    return name().toLowerCase(Locale.ROOT);
  }
}
