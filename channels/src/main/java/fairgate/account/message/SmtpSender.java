package fairgate.account.message;

import fairgate.platform.run.BlockingWork;
import io.vertx.core.Future;
import jakarta.mail.Authenticator;
import jakarta.mail.Message;
import jakarta.mail.MessagingException;
import jakarta.mail.PasswordAuthentication;
import jakarta.mail.SendFailedException;
import jakarta.mail.Session;
import jakarta.mail.Transport;
import jakarta.mail.internet.InternetAddress;
import jakarta.mail.internet.MimeMessage;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Date;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.net.ssl.SSLSocketFactory;
import org.eclipse.angus.mail.smtp.SMTPAddressFailedException;
import org.eclipse.angus.mail.smtp.SMTPSendFailedException;
import org.eclipse.angus.mail.smtp.SMTPSenderFailedException;
import org.eclipse.angus.mail.util.MailConnectException;
import org.jspecify.annotations.Nullable;

/// Sends e-mail by SMTP, one connection for each message. With `starttls` and `tls` the server's
/// certificate and name are verified, and nothing is sent without encryption.
final class SmtpSender implements MessageSender {
  private static final String TIMEOUT_MS = "5000";
  private static final long MAX_DURATION_S = MAX_DURATION.toSeconds() - 2;

  private final MessageConfig.Sender.Smtp config;
  private final Session session;

  /// @param trust verifies certificates; null for those that Java trusts
  SmtpSender(MessageConfig.Sender.Smtp config, @Nullable SSLSocketFactory trust) {
    this.config = config;
    this.session = Session.getInstance(properties(config, trust), authenticator(config));
  }

  private static Properties properties(
      MessageConfig.Sender.Smtp config, @Nullable SSLSocketFactory trust) {
    Properties properties = new Properties();
    properties.put("mail.transport.protocol", "smtp");
    properties.put("mail.smtp.host", config.host());
    properties.put("mail.smtp.port", Integer.toString(config.port()));
    properties.put("mail.smtp.auth", Boolean.toString(!config.user().isEmpty()));
    boolean startTls = config.tls() == MessageConfig.Sender.Tls.STARTTLS;
    properties.put("mail.smtp.starttls.enable", Boolean.toString(startTls));
    properties.put("mail.smtp.starttls.required", Boolean.toString(startTls));
    properties.put(
        "mail.smtp.ssl.enable", Boolean.toString(config.tls() == MessageConfig.Sender.Tls.TLS));
    properties.put("mail.smtp.ssl.checkserveridentity", "true");
    properties.put("mail.smtp.connectiontimeout", TIMEOUT_MS);
    properties.put("mail.smtp.timeout", TIMEOUT_MS);
    properties.put("mail.smtp.writetimeout", TIMEOUT_MS);
    // The server's reply to QUIT is not worth waiting for.
    properties.put("mail.smtp.quitwait", "false");
    if (trust != null) {
      properties.put("mail.smtp.ssl.socketFactory", trust);
    }
    return properties;
  }

  private static @Nullable Authenticator authenticator(MessageConfig.Sender.Smtp config) {
    return config.user().isEmpty()
        ? null
        : new Authenticator() {
          @Override
          protected PasswordAuthentication getPasswordAuthentication() {
            return new PasswordAuthentication(config.user(), config.password());
          }
        };
  }

  @Override
  public Result send(OutgoingMessage message) {
    AtomicBoolean connected = new AtomicBoolean();
    Future<Result> result = BlockingWork.call("smtp", () -> transmit(message, connected));
    // The limits of the library are for single reads; a slow server could keep it busy for long.
    return result
        .timeout(MAX_DURATION_S, TimeUnit.SECONDS)
        .otherwise(_ -> new Result.Unknown("no answer in " + MAX_DURATION_S + " s"))
        .await();
  }

  private Result transmit(OutgoingMessage message, AtomicBoolean connected) {
    try (Transport transport = session.getTransport()) {
      MimeMessage mail = mail(message);
      transport.connect();
      connected.set(true);
      transport.sendMessage(mail, mail.getAllRecipients());
      return new Result.Sent();
    } catch (MessagingException e) {
      return judge(e, connected.get());
    }
  }

  private MimeMessage mail(OutgoingMessage message) throws MessagingException {
    MimeMessage mail = new CodeMail(session, message.id(), domain());
    mail.setFrom(new InternetAddress(config.from(), true));
    mail.setRecipient(Message.RecipientType.TO, new InternetAddress(message.to(), true));
    mail.setSubject(message.subject(), StandardCharsets.UTF_8.name());
    mail.setText(message.text(), StandardCharsets.UTF_8.name());
    mail.setHeader("Content-Language", message.language().tag());
    // No automatic replies, for example "out of office".
    mail.setHeader("Auto-Submitted", "auto-generated");
    mail.setSentDate(Date.from(message.sentAt()));
    mail.saveChanges();
    return mail;
  }

  private String domain() {
    return config.from().replaceFirst(".*@", "").replaceAll("[^A-Za-z0-9.-]", "");
  }

  /// A mail with the same `Message-ID` in every try, so that mail programs show a repeat once.
  private static final class CodeMail extends MimeMessage {
    private final String id;

    CodeMail(Session session, String id, String domain) {
      super(session);
      this.id = '<' + id + '@' + domain + '>';
    }

    @Override
    protected void updateMessageID() throws MessagingException {
      setHeader("Message-ID", id);
    }
  }

  private static Result judge(MessagingException failure, boolean connected) {
    int code = replyCode(failure);
    if (code / 100 == 5 && failure instanceof SendFailedException) {
      return new Result.Refused("reply " + code);
    }
    String reason = code == 0 ? failure.getClass().getSimpleName() : "reply " + code;
    boolean certain = !connected || code / 100 == 4 || failure instanceof MailConnectException;
    return certain ? new Result.NotSent(reason, Duration.ZERO) : new Result.Unknown(reason);
  }

  /// The reply code of the server, anywhere in the chain of causes; 0 for none.
  private static int replyCode(MessagingException failure) {
    Exception cause = failure;
    while (cause instanceof MessagingException next) {
      int code =
          switch (next) {
            case SMTPAddressFailedException address -> address.getReturnCode();
            case SMTPSenderFailedException sender -> sender.getReturnCode();
            case SMTPSendFailedException send -> send.getReturnCode();
            default -> 0;
          };
      if (code > 0) {
        return code;
      }
      cause = next.getNextException();
    }
    return 0;
  }
}
