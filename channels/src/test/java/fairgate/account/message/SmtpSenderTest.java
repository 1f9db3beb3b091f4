package fairgate.account.message;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.account.message.MessageConfig.Sender.Tls;
import fairgate.account.message.MessageSender.Result;
import fairgate.account.message.OutgoingMessage.Purpose;
import fairgate.platform.text.Language;
import fairgate.testkit.MailServer;
import fairgate.testkit.TlsFront;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Instant;
import java.util.List;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Mail through a real SMTP server.
@Tag("slow")
final class SmtpSenderTest {
  private final MailServer server = MailServer.start();

  @AfterEach
  void close() {
    server.close();
  }

  private static Result send(int port, Tls tls, String user, String password) {
    return send(port, tls, user, password, null);
  }

  private static Result send(
      int port, Tls tls, String user, String password, @Nullable SSLSocketFactory trust) {
    try (MessageSender sender =
        new SmtpSender(
            new MessageConfig.Sender.Smtp(
                "127.0.0.1", port, tls, user, password, "票務 <no-reply@shop.example>"),
            trust)) {
      return sender.send(message(Language.ZH_HANS));
    }
  }

  private static OutgoingMessage message(Language language) {
    return new OutgoingMessage(
        "msg_1",
        Channel.EMAIL,
        "anna@example.com",
        new OutgoingMessage.Content.Code(Purpose.PASSWORD_RESET, "042137"),
        language,
        Instant.EPOCH,
        Instant.EPOCH);
  }

  @Test
  void aMailArrivesInItsLanguage() {
    assertThat(send(server.port(), Tls.OFF, "", "")).isEqualTo(new Result.Sent());
    assertThat(server.mails())
        .singleElement()
        .satisfies(
            mail -> {
              assertThat(mail.to()).isEqualTo("anna@example.com");
              assertThat(mail.from()).contains("no-reply@shop.example");
              assertThat(mail.subject()).isEqualTo("您重设密码的验证码");
              assertThat(mail.text()).startsWith("042137 是您重设密码的验证码");
              assertThat(mail.language()).isEqualTo("zh-Hans");
            });
  }

  @Test
  void aRepeatHasTheSameMessageId() {
    assertThat(send(server.port(), Tls.OFF, "", "")).isEqualTo(new Result.Sent());
    assertThat(send(server.port(), Tls.OFF, "", "")).isEqualTo(new Result.Sent());
    assertThat(server.mails())
        .extracting(MailServer.Mail::id)
        .containsExactly("<msg_1@shop.example>", "<msg_1@shop.example>");
  }

  @Test
  void theServersPasswordIsUsed() {
    try (MailServer guarded = MailServer.start().withUser("shop", "secret")) {
      assertThat(send(guarded.port(), Tls.OFF, "shop", "secret")).isEqualTo(new Result.Sent());
      assertThat(send(guarded.port(), Tls.OFF, "shop", "wrong")).isInstanceOf(Result.NotSent.class);
      assertThat(guarded.mails()).hasSize(1);
    }
  }

  @Test
  void nothingIsSentWithoutTheEncryptionThatIsRequired() {
    assertThat(send(server.port(), Tls.STARTTLS, "", "")).isInstanceOf(Result.NotSent.class);
    assertThat(send(server.port(), Tls.TLS, "", "")).isInstanceOf(Result.NotSent.class);
    assertThat(server.mails()).isEmpty();
  }

  @Test
  void anEncryptedMailGoesToAServerWithATrustedCertificateOnly() {
    for (Tls tls : List.of(Tls.TLS, Tls.STARTTLS)) {
      try (TlsFront front = TlsFront.start(server.port(), "ip:127.0.0.1", tls == Tls.STARTTLS);
          TlsFront other = TlsFront.start(server.port(), "ip:127.0.0.1", tls == Tls.STARTTLS)) {
        int before = server.mails().size();
        assertThat(send(front.port(), tls, "", "", null)).isInstanceOf(Result.NotSent.class);
        assertThat(send(front.port(), tls, "", "", other.trust()))
            .isInstanceOf(Result.NotSent.class);
        assertThat(server.mails()).as("to a stranger by " + tls).hasSize(before);
        assertThat(send(front.port(), tls, "", "", front.trust())).isEqualTo(new Result.Sent());
        assertThat(server.mails()).as("by " + tls).hasSize(before + 1);
      }
    }
  }

  @Test
  void nothingIsSentToAServerWithTheCertificateOfAnother() {
    for (Tls tls : List.of(Tls.TLS, Tls.STARTTLS)) {
      try (TlsFront front =
          TlsFront.start(server.port(), "dns:mail.other.example", tls == Tls.STARTTLS)) {
        assertThat(send(front.port(), tls, "", "", front.trust()))
            .as(tls.name())
            .isInstanceOf(Result.NotSent.class);
      }
    }
    assertThat(server.mails()).isEmpty();
  }

  @Test
  void nothingIsSentToAServerWhoseCertificateIsNotTrusted() {
    try (MailServer stranger = MailServer.startTls()) {
      assertThat(send(stranger.port(), Tls.TLS, "", "")).isInstanceOf(Result.NotSent.class);
      assertThat(stranger.mails()).isEmpty();
    }
  }

  @Test
  void aServerThatIsAwayIsToldFromOneThatHangs() throws IOException {
    server.close();
    assertThat(send(server.port(), Tls.OFF, "", "")).isInstanceOf(Result.NotSent.class);
    try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      assertThat(send(silent.getLocalPort(), Tls.OFF, "", "")).isInstanceOf(Result.NotSent.class);
    }
  }
}
