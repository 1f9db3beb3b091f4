package fairgate.account.message;

import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/// The settings of messages.
public record MessageConfig(Sender sms, Sender email, Limits limits) {
  /// The limits of messages.
  ///
  /// @param perHour maximum number of messages per hour, of all nodes together
  /// @param countries those whose telephones get codes, by ISO 3166 such as `TW`; empty = all
  public record Limits(int perHour, Set<String> countries) {
    public Limits {
      countries = Set.copyOf(countries);
    }
  }

  Sender of(Channel channel) {
    return switch (channel) {
      case SMS -> sms;
      case EMAIL -> email;
    };
  }

  /// The settings of the service that sends the messages of one channel.
  public sealed interface Sender {
    /// No service: the channel is off.
    record None() implements Sender {}

    /// A private file, for development.
    record Console(Path file) implements Sender {}

    /// Any gateway, by signed HTTP.
    ///
    /// @param secrets `whsec_` and base64 of at least 24 bytes, the newest first; all sign
    record Webhook(String url, List<String> secrets) implements Sender {
      public Webhook {
        secrets = List.copyOf(secrets);
      }

      @Override
      public String toString() {
        return "Webhook[url=%s, secrets=[redacted]]".formatted(url);
      }
    }

    /// Twilio, or a gateway with the same API.
    ///
    /// @param account SID of the account, also the user of the Basic authentication
    /// @param from a telephone number, a sender name, or the SID of a messaging service (`MG...`)
    record Twilio(String url, String account, String token, String from) implements Sender {
      @Override
      public String toString() {
        return "Twilio[url=%s, account=%s, token=[redacted]]".formatted(url, account);
      }
    }

    /// A mail server.
    ///
    /// @param user empty = no authentication
    /// @param from the sender's address, with or without a name
    record Smtp(String host, int port, Tls tls, String user, String password, String from)
        implements Sender {
      @Override
      public String toString() {
        return "Smtp[host=%s, port=%d, tls=%s, password=[redacted]]".formatted(host, port, tls);
      }
    }

    enum Tls {
      /// Begins in the clear and must be encrypted before anything is sent; usually port 587.
      STARTTLS,
      /// Encrypted from the first byte; usually port 465.
      TLS,
      OFF
    }
  }
}
