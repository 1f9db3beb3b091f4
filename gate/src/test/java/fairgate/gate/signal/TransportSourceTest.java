package fairgate.gate.signal;

import static fairgate.gate.signal.SignalServer.CHROME;
import static fairgate.gate.signal.SignalServer.value;
import static org.assertj.core.api.Assertions.assertThat;

import fairgate.gate.risk.Features;
import fairgate.gate.signal.SignalConfig.Transport.Known;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

class TransportSourceTest {
  private static final String FIREFOX =
      "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0";
  private static final String LINE_APP =
      "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like"
          + " Gecko) Mobile/15E148 Safari Line/14.20.0";
  private static final String CHROME_JA4 = "t13d1516h2_8daaf6152771_02713d6af862";
  private static final String GO_JA4 = "t13d1311h2_f57a46bbacb6_e7c285222651";

  private static final TransportSource SOURCE =
      new TransportSource(
          new SignalConfig.Transport(
              "X-JA4",
              "X-Header-Order",
              "X-HTTP-Version",
              Known.parseAll(
                  List.of(
                      "chromium:t13d1516h2_8daaf6152771",
                      "chromium:q13d0312h3_",
                      "go:t13d1311h2_")),
              Known.parseAll(List.of("chromium:aa11bb22", "firefox:cc33dd44"))));
  private static final SignalServer PROXY = new SignalServer(SOURCE, true);
  private static final SignalServer LOCAL = new SignalServer(SOURCE, false);

  @AfterAll
  static void close() {
    PROXY.close();
    LOCAL.close();
  }

  /// A complete request of a browser over https.
  private static Features browser(String agent, String... more) {
    String[] usual = {
      "X-Forwarded-Proto", "https",
      "User-Agent", agent,
      "Accept-Language", "zh-TW",
      "Sec-Fetch-Site", "same-origin",
      "Sec-Fetch-Mode", "cors"
    };
    return PROXY.join(Stream.concat(Stream.of(usual), Stream.of(more)).toArray(String[]::new));
  }

  @Test
  void aCompleteBrowserContradictsNothing() {
    Features features =
        browser(
            CHROME,
            "X-JA4",
            CHROME_JA4,
            "X-HTTP-Version",
            "HTTP/2.0",
            "X-Header-Order",
            "aa11bb22");
    assertThat(SignalServer.set(features))
        .containsExactlyInAnyOrder("user_agent_kind", "http_version", "ja4_present");
    assertThat(value(features, "user_agent_kind")).isEqualTo("browser");
    assertThat(value(features, "http_version")).isEqualTo("2");
  }

  @Test
  void aJa4OfAnotherClientContradictsTheUserAgent() {
    assertThat(value(browser(CHROME, "X-JA4", GO_JA4), "ja4_mismatch")).isEqualTo(true);
    assertThat(value(browser(FIREFOX, "X-JA4", CHROME_JA4), "ja4_mismatch")).isEqualTo(true);
    String unknown = "t13d1717h2_5b57614c22b0_3cbfd9057e0d";
    assertThat(value(browser(FIREFOX, "X-JA4", unknown), "ja4_mismatch")).isEqualTo(false);
    String tls12 = "t12d1516h2_8daaf6152771_02713d6af862";
    assertThat(value(browser(CHROME, "X-JA4", tls12), "ja4_mismatch")).isEqualTo(true);
    String noAlpn = "t13d151600_8daaf6152771_02713d6af862";
    assertThat(value(browser(CHROME, "X-JA4", noAlpn), "ja4_mismatch")).isEqualTo(true);
  }

  @Test
  void headersOfAnybodyButATrustedProxyAreIgnored() {
    String[] forged = {
      "User-Agent",
      CHROME,
      "Accept-Language",
      "en",
      "X-JA4",
      GO_JA4,
      "X-HTTP-Version",
      "1.0",
      "X-Header-Order",
      "cc33dd44"
    };
    try (SignalServer direct = new SignalServer(SOURCE, "192.0.2.1")) {
      assertThat(SignalServer.set(direct.join(forged))).containsExactly("user_agent_kind");
    }
    assertThat(SignalServer.set(PROXY.join(forged)))
        .contains("ja4_mismatch", "http_version_mismatch", "header_order_mismatch");
  }

  @Test
  void aHeaderThatCameTwiceOrIsMalformedIsIgnored() {
    assertThat(
            SignalServer.set(
                browser(CHROME, "X-JA4", CHROME_JA4, "X-JA4", GO_JA4, "X-HTTP-Version", "two")))
        .containsExactly("user_agent_kind");
    assertThat(SignalServer.set(browser(CHROME, "X-JA4", "<script>")))
        .containsExactly("user_agent_kind");
  }

  @Test
  void anOldHttpVersionAndQuicWithoutHttp3AreContradictions() {
    assertThat(value(browser(CHROME, "X-HTTP-Version", "1.0"), "http_version_mismatch"))
        .isEqualTo(true);
    assertThat(value(browser(CHROME, "X-HTTP-Version", "1.1"), "http_version_mismatch"))
        .isEqualTo(false);
    String quic = "q13d0312h3_55b375c5d22e_06cda9e17597";
    assertThat(
            value(browser(CHROME, "X-JA4", quic, "X-HTTP-Version", "3"), "http_version_mismatch"))
        .isEqualTo(false);
    assertThat(
            value(browser(CHROME, "X-JA4", quic, "X-HTTP-Version", "2"), "http_version_mismatch"))
        .isEqualTo(true);
  }

  @Test
  void aHeaderOrderOfAnotherBrowserIsAContradiction() {
    assertThat(value(browser(CHROME, "X-Header-Order", "cc33dd44"), "header_order_mismatch"))
        .isEqualTo(true);
    assertThat(value(browser(CHROME, "X-Header-Order", "ffffffff"), "header_order_mismatch"))
        .isEqualTo(false);
  }

  @Test
  void headersThatEveryBrowserSendsAreMissedOverHttpsOnly() {
    Features bare = PROXY.join("X-Forwarded-Proto", "https", "User-Agent", CHROME);
    assertThat(SignalServer.set(bare))
        .containsExactlyInAnyOrder(
            "user_agent_kind", "accept_language_missing", "sec_fetch_missing");
    Features plain = PROXY.join("User-Agent", CHROME, "Accept-Language", "en");
    assertThat(SignalServer.set(plain)).containsExactly("user_agent_kind");
  }

  @Test
  void nothingIsExpectedOfViewsInsideAppsAndOldBrowsers() {
    String[] agents = {
      LINE_APP,
      "Mozilla/5.0 (Linux; Android 14; Pixel; wv) AppleWebKit/537.36 Chrome/142.0 Mobile Safari/537",
      "Mozilla/5.0 (Windows NT 6.1) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/49.0 Safari/537"
    };
    for (String agent : agents) {
      assertThat(
              value(
                  PROXY.join("X-Forwarded-Proto", "https", "User-Agent", agent),
                  "sec_fetch_missing"))
          .as(agent)
          .isEqualTo(false);
    }
  }

  @Test
  void programsAndBotsAreNamed() {
    assertThat(kind("curl/8.5.0")).isEqualTo("tool");
    assertThat(kind("python-requests/2.32")).isEqualTo("tool");
    assertThat(kind("Mozilla/5.0 (compatible; Googlebot/2.1)")).isEqualTo("bot");
    assertThat(kind(CHROME.replace("Chrome", "HeadlessChrome"))).isEqualTo("bot");
    assertThat(kind(" ")).isEqualTo("none");
    assertThat(kind("a shop's own app/1.0")).isEqualTo("browser");
    assertThat(kind("x".repeat(6_000))).isEqualTo("browser");
  }

  @Test
  void aProgramOnThisMachineIsNoStranger() {
    assertThat(SignalServer.set(LOCAL.join("User-Agent", "curl/8.5.0"))).isEmpty();
  }

  private static Object kind(String agent) {
    return value(PROXY.join("User-Agent", agent), "user_agent_kind");
  }
}
