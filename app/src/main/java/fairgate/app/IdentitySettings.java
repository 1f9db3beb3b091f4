package fairgate.app;

import fairgate.account.identity.IdentityFeature;
import fairgate.account.identity.PersonRegister;
import fairgate.account.message.MessageConfig;
import fairgate.account.message.SenderConfig;
import fairgate.app.command.StartFailed;
import fairgate.app.config.FairgateConfig;
import fairgate.app.config.MessageSettings;
import fairgate.app.config.Secret;
import fairgate.kernel.Ids;
import java.time.Clock;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/// Converts the settings of identity verification.
final class IdentitySettings {
  private IdentitySettings() {}

  /// Whether anything can be verified.
  static boolean isOn(MessageConfig messages, Optional<PersonRegister> register) {
    return register.isPresent()
        || !(messages.sms() instanceof SenderConfig.None)
        || !(messages.email() instanceof SenderConfig.None);
  }

  /// Throws StartFailed when the settings have problems.
  static MessageConfig messages(FairgateConfig config) {
    MessageSettings messages = config.channels().messages();
    if (!messages.problems().isEmpty()) {
      throw new StartFailed(String.join("; ", messages.problems()));
    }
    return new MessageConfig(
        sender(config, messages.sms()),
        sender(config, messages.email()),
        new MessageConfig.Limits(messages.perHour(), Set.copyOf(messages.smsCountries())));
  }

  /// Empty when identity numbers are not verified.
  static Optional<PersonRegister> register(FairgateConfig config, Ids ids, Clock clock) {
    MessageSettings.Register register = config.channels().messages().register();
    if (isConsole(config, register.url().isEmpty())) {
      return Optional.of(IdentityFeature.credulous());
    }
    return register.url().isEmpty() || isOff(config)
        ? Optional.empty()
        : Optional.of(
            IdentityFeature.webhook(register.url(), exposed(register.secrets()), ids, clock));
  }

  private static SenderConfig sender(FairgateConfig config, String kind) {
    if (isConsole(config, kind.equals("off"))) {
      return new SenderConfig.Console(config.dataDir().resolve("secrets/one-time-codes"));
    }
    if (isOff(config)) {
      return new SenderConfig.None();
    }
    MessageSettings messages = config.channels().messages();
    return switch (kind) {
      case "webhook" ->
          new SenderConfig.Webhook(messages.webhook().url(), exposed(messages.webhook().secrets()));
      case "twilio" ->
          new SenderConfig.Twilio(
              messages.twilio().url(),
              messages.twilio().account(),
              messages.twilio().token().expose(),
              messages.twilio().from());
      case "smtp" -> smtp(messages.smtp());
      default -> new SenderConfig.None();
    };
  }

  private static SenderConfig smtp(MessageSettings.Smtp smtp) {
    return new SenderConfig.Smtp(
        smtp.host(),
        smtp.port(),
        SenderConfig.Tls.valueOf(smtp.tls().toUpperCase(Locale.ROOT)),
        smtp.user(),
        smtp.password().expose(),
        smtp.from());
  }

  private static boolean isOff(FairgateConfig config) {
    return config.channels().identity().equals("off");
  }

  /// @param unset whether no outside service is configured
  private static boolean isConsole(FairgateConfig config, boolean unset) {
    String provider = config.channels().identity();
    return provider.equals("console")
        || (provider.equals("auto") && unset && Settings.isUp(config));
  }

  private static List<String> exposed(List<Secret> secrets) {
    return secrets.stream().map(Secret::expose).toList();
  }
}
