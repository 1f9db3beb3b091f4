package fairgate.app.risk;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestEngines;
import fairgate.app.risk.AppealServer.Visitor;
import fairgate.testkit.Eventually;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Forms of appeals that the server refuses before it has read them.
class UnreadAppealIT {
  @SuppressWarnings("NullAway.Init")
  private static AppealServer appeals;

  @SuppressWarnings("NullAway.Init")
  private static Visitor ann;

  @SuppressWarnings("NullAway.Init")
  private static String appeal;

  @BeforeAll
  static void start() {
    appeals =
        AppealServer.start(
            TestEngines.shared().freshDatabase(), Map.of("limits", "on", "limit.concurrent", "2"));
    ann = appeals.visitor();
    appeal = ann.bannedAppeal();
  }

  @AfterAll
  static void stop() {
    appeals.close();
  }

  /// A visitor who has chosen another language than that of the browser.
  private static HttpResponse<String> call(
      String method, String path, String body, String language) {
    return ann.call(
        method,
        path,
        body,
        "Accept",
        "text/html",
        "Accept-Language",
        language.equals("en") ? "zh-TW" : "en",
        "Cookie",
        "fairgate_lang=" + language);
  }

  @ParameterizedTest
  @CsvSource({
    "en, 'Write 10 to 2,000 characters.', We have not received your text.",
    "zh-Hant, '請填寫 10 到 2,000 個字。', 我們沒有收到您填寫的內容。",
    "zh-Hans, '请填写 10 到 2,000 个字。', 我们没有收到您填写的内容。"
  })
  void aFormThatIsTooLargeIsRefusedInTheLanguageOfThePage(
      String language, String problem, String more) {
    HttpResponse<String> refused = call("POST", appeal, "text=" + "x".repeat(40_000), language);
    assertThat(refused.statusCode()).as(refused.body()).isEqualTo(400);
    assertThat(refused.body()).contains(problem, more, "<textarea");
  }

  @Test
  void aFormBeyondTheRunningRequestsIsToldThatItWasNotReceived() throws IOException {
    HttpResponse<String> page =
        Eventually.get(
            "the address has all its requests running",
            this::besideUnfinishedForms,
            reply -> reply.body().contains("We have not received your text."));
    assertThat(page.statusCode()).as(page.body()).isEqualTo(429);
    assertThat(page.headers().firstValue("retry-after")).isPresent();
    assertThat(page.body())
        .contains("Too many requests.", "<textarea")
        .contains("Wait until the block ends")
        .doesNotContain("Your text is still here.");
  }

  /// Until both forms are running, a letter that is too short is read and files nothing.
  private HttpResponse<String> besideUnfinishedForms() throws IOException {
    try (Socket _ = unfinishedForm();
        Socket _ = unfinishedForm()) {
      return call("POST", appeal, "text=short", "en");
    }
  }

  /// Sends the head of a form and a part of its body.
  private static Socket unfinishedForm() throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), appeals.server().port());
    String head =
        "POST %s HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: %s\r\nContent-Length: 9\r\n\r\ntext="
            .formatted(appeal, ann.address());
    socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
    return socket;
  }
}
