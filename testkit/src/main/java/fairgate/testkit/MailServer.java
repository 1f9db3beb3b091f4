package fairgate.testkit;

import com.icegreen.greenmail.util.GreenMail;
import com.icegreen.greenmail.util.ServerSetup;
import jakarta.mail.Message;
import jakarta.mail.MessagingException;
import jakarta.mail.internet.MimeMessage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.List;

/// A real SMTP server on loopback (GreenMail) that keeps what it receives.
public final class MailServer implements AutoCloseable {
  private static final long START_MS = 20_000;

  private final GreenMail server;
  private final int port;

  private MailServer(GreenMail server) {
    this.server = server;
    server.start();
    this.port = server.getSmtp() == null ? server.getSmtps().getPort() : server.getSmtp().getPort();
  }

  /// A received mail.
  public record Mail(
      String from, String to, String subject, String text, String id, String language) {}

  /// Starts on a free port, without encryption.
  public static MailServer start() {
    return start(0);
  }

  /// Starts on this port, without encryption; 0 takes a free one.
  public static MailServer start(int port) {
    return new MailServer(new GreenMail(setup(port, ServerSetup.PROTOCOL_SMTP)));
  }

  /// Starts on a free port, encrypted from the first byte with a certificate that nobody trusts.
  public static MailServer startTls() {
    return new MailServer(new GreenMail(setup(0, ServerSetup.PROTOCOL_SMTPS)));
  }

  private static ServerSetup setup(int port, String protocol) {
    ServerSetup setup = new ServerSetup(port, "127.0.0.1", protocol);
    setup.setServerStartupTimeout(START_MS);
    return setup;
  }

  /// Requires this user and password.
  public MailServer withUser(String user, String password) {
    var _ = server.setUser(user, user, password);
    server.getUserManager().setAuthRequired(true);
    return this;
  }

  public int port() {
    return port;
  }

  /// The mails so far, in the order of their arrival.
  public List<Mail> mails() {
    return Arrays.stream(server.getReceivedMessages()).map(MailServer::mail).toList();
  }

  private static Mail mail(MimeMessage message) {
    try {
      return new Mail(
          message.getFrom()[0].toString(),
          message.getRecipients(Message.RecipientType.TO)[0].toString(),
          message.getSubject(),
          message.getContent().toString().strip(),
          message.getMessageID(),
          String.join(",", message.getHeader("Content-Language")));
    } catch (MessagingException e) {
      throw new IllegalStateException(e);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    server.stop();
  }
}
