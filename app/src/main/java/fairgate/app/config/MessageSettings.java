package fairgate.app.config;

import fairgate.platform.feature.Secret;
import fairgate.platform.feature.Setting;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/// The services that send one-time codes and verify names.
public record MessageSettings(
    @Setting(
            name = "messages.sms",
            fallback = "off",
            words = {"off", "webhook", "twilio"},
            doc =
                "The service that sends one-time codes to telephones: any gateway by signed HTTP, "
                    + "or one with Twilio's API. See `docs/operate/sign-in.md`.")
        String sms,
    @Setting(
            name = "messages.email",
            fallback = "off",
            words = {"off", "smtp", "webhook"},
            doc = "The service that sends one-time codes to e-mail addresses.")
        String email,
    @Setting(
            name = "messages.per_hour",
            fallback = "10000",
            min = 1,
            max = 1_000_000,
            doc = "Maximum number of messages per hour, of all nodes together.")
        int perHour,
    @Setting(
            name = "messages.sms_countries",
            values = "list",
            doc =
                "Countries whose telephones get one-time codes, by ISO 3166, such as `TW,HK`; "
                    + "empty allows all. Messages to distant countries can cost a lot.")
        List<String> smsCountries,
    @Setting(
            name = "messages.receipts",
            fallback = "on",
            words = {"on", "off"},
            doc =
                "Whether buyers get a message when their order is paid or refunded. `off` for shops "
                    + "that send their own. See `docs/operate/orders.md`.")
        String receipts,
    Webhook webhook,
    Twilio twilio,
    Smtp smtp,
    Register register) {
  private static final Pattern SECRET = Pattern.compile("whsec_[A-Za-z0-9+/]{32,}={0,2}");
  private static final Set<String> COUNTRIES = Set.of(Locale.getISOCountries());
  private static final Pattern TWILIO_FROM =
      Pattern.compile("\\+[0-9]{5,15}|MG[0-9a-fA-F]{32}|[A-Za-z0-9 ]{1,11}");
  private static final Pattern MAIL_FROM = Pattern.compile("[^\\r\\n]*[^\\s@]@[^\\s@]+");

  /// A gateway by signed HTTP.
  public record Webhook(
      @Setting(
              name = "messages.webhook_url",
              schemes = {"http", "https"},
              doc = "Address of the gateway for messages, for `webhook`.")
          String url,
      @Setting(
              name = "messages.webhook_secret",
              doc = "Secrets that sign messages (`whsec_...`), newest first, separated by commas.")
          List<Secret> secrets) {}

  /// Twilio, or a gateway with the same API.
  public record Twilio(
      @Setting(
              name = "messages.twilio_url",
              fallback = "https://api.twilio.com",
              schemes = {"http", "https"},
              doc = "Address of Twilio's API, or of a gateway that offers the same.")
          String url,
      @Setting(name = "messages.twilio_account", doc = "SID of the Twilio account (`AC...`).")
          String account,
      @Setting(name = "messages.twilio_token", doc = "Token of the Twilio account.") Secret token,
      @Setting(
              name = "messages.twilio_from",
              doc = "The sender: a number (`+1...`), a name, or a messaging service (`MG...`).")
          String from) {}

  public record Smtp(
      @Setting(name = "messages.smtp_host", doc = "Host name of the mail server, for `smtp`.")
          String host,
      @Setting(
              name = "messages.smtp_port",
              fallback = "587",
              min = 1,
              max = 65_535,
              doc = "Port of the mail server; usually 587 for `starttls` and 465 for `tls`.")
          int port,
      @Setting(
              name = "messages.smtp_tls",
              fallback = "starttls",
              words = {"starttls", "tls", "off"},
              doc =
                  "Encryption of the connection to the mail server. Nothing is sent if it fails. "
                      + "`off` is for a server on the same machine.")
          String tls,
      @Setting(
              name = "messages.smtp_user",
              doc = "User name at the mail server; empty signs in nowhere.")
          String user,
      @Setting(name = "messages.smtp_password", doc = "Password at the mail server.")
          Secret password,
      @Setting(
              name = "messages.smtp_from",
              doc = "The sender's address, such as `Tickets <no-reply@example.com>`.")
          String from) {}

  public record Register(
      @Setting(
              name = "person_register.url",
              schemes = {"http", "https"},
              doc = "Address that verifies identity numbers by signed HTTP; empty verifies none.")
          String url,
      @Setting(
              name = "person_register.secret",
              doc =
                  "Secrets that sign calls to the register (`whsec_...`), newest first, separated "
                      + "by commas.")
          List<Secret> secrets) {}

  /// The problems of these settings; empty when there are none.
  public List<String> problems() {
    List<String> problems = new ArrayList<>();
    if (sms.equals("webhook") || email.equals("webhook")) {
      required("messages.webhook_url", webhook.url(), problems);
      signed("messages.webhook_secret", webhook.secrets(), problems);
    }
    if (sms.equals("twilio")) {
      required("messages.twilio_account", twilio.account(), problems);
      required("messages.twilio_token", twilio.token().expose(), problems);
      if (!TWILIO_FROM.matcher(twilio.from()).matches()) {
        problems.add(
            "messages.twilio_from: expected a number such as +15550006789, a name of at most 11"
                + " letters and digits, or the SID of a messaging service (MG...)");
      }
    }
    if (email.equals("smtp")) {
      required("messages.smtp_host", smtp.host(), problems);
      if (!MAIL_FROM.matcher(smtp.from().replaceFirst("<(.*)>$", "$1")).matches()) {
        problems.add(
            "messages.smtp_from: expected an address such as Tickets <no-reply@example.com>");
      }
    }
    for (String country : smsCountries) {
      if (!COUNTRIES.contains(country)) {
        problems.add("messages.sms_countries: " + country + " is no code of ISO 3166 such as TW");
      }
    }
    if (!register.url().isEmpty()) {
      signed("person_register.secret", register.secrets(), problems);
    }
    return List.copyOf(problems);
  }

  private static void required(String name, String value, List<String> problems) {
    if (value.isEmpty()) {
      problems.add(name + ": needed by the service that was chosen");
    }
  }

  private static void signed(String name, List<Secret> secrets, List<String> problems) {
    if (secrets.isEmpty()
        || !secrets.stream().allMatch(secret -> SECRET.matcher(secret.expose()).matches())) {
      problems.add(name + ": expected whsec_ and base64 of at least 24 bytes");
    }
  }
}
