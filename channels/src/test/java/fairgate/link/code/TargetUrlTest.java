package fairgate.link.code;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import fairgate.link.code.TargetUrl.Problem;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TargetUrlTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          https://example.com|https://example.com/|example.com
          HTTPS://EXAMPLE.com:8443/a?b=c#d|https://example.com:8443/a?b=c#d|example.com
          http://example.com.?x|http://example.com/?x|example.com
          https://аpple.com/login|https://xn--pple-43d.com/login|xn--pple-43d.com
          https://例え.jp/道|https://xn--r8jz45g.jp/%E9%81%93|xn--r8jz45g.jp
          https://BÜCHER。example/|https://xn--bcher-kva.example/|xn--bcher-kva.example
          https://xn--fa-hia.de/|https://xn--fa-hia.de/|xn--fa-hia.de
          https://faß.de/|https://xn--fa-hia.de/|xn--fa-hia.de
          https://STRASSE-Größe.example/|https://xn--strasse-gre-46a21a.example/|xn--strasse-gre-46a21a.example
          https://ΒΌΛΟς.com/|https://xn--nxasmm1c.com/|xn--nxasmm1c.com
          https://βόλοσ.com/|https://xn--nxasmq6b.com/|xn--nxasmq6b.com
          https://😀.example/|https://xn--e28h.example/|xn--e28h.example
          https://i❤️.ws/|https://xn--i-7iq.ws/|xn--i-7iq.ws
          https://my_shop.example/|https://my_shop.example/|my_shop.example
          https://_dmarc.bücher.example/|https://_dmarc.xn--bcher-kva.example/|_dmarc.xn--bcher-kva.example
          https://r3---sn-a.example/|https://r3---sn-a.example/|r3---sn-a.example
          https://ｅｘａｍｐｌｅ．com/|https://example.com/|example.com
          https://example.com/a{b}|https://example.com/a%7Bb%7D|example.com
          http://192.0.2.7:80/x|http://192.0.2.7:80/x|192.0.2.7
          http://[2001:DB8::1]:80/x|http://[2001:db8::1]:80/x|[2001:db8::1]
          http://[2001:db8:0:0:0:0:0:1]/|http://[2001:db8::1]/|[2001:db8::1]
          """)
  void addressesAreKeptInAsciiWithTheirHost(String given, String text, String host)
      throws TargetUrl.Refused {
    TargetUrl url = TargetUrl.parse(given);
    assertThat(url.text()).isEqualTo(text);
    assertThat(url.host()).isEqualTo(host);
    assertThat(TargetUrl.hostOf(url.text())).isEqualTo(host);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          javascript:alert(1)|NOT_HTTP
          data:text/html,x|NOT_HTTP
          ftp://example.com/|NOT_HTTP
          //example.com/|NOT_HTTP
          example.com|NOT_HTTP
          https:example.com|NOT_HTTP
          https://user@example.com/|USER_INFO
          https://example.com:443@evil.example/|USER_INFO
          https:///path|BAD_HOST
          https://STRAẞE.example/|BAD_HOST
          https://İstanbul.example/|BAD_HOST
          https://ᎠᎡ.example/|BAD_HOST
          https://℀.example/|BAD_HOST
          https://xn--ü.example/|BAD_HOST
          https://exa%6dple.com/|BAD_HOST
          https://example.com:0/|BAD_HOST
          https://example.com:99999/|BAD_HOST
          https://example.com:x/|BAD_HOST
          https://a..b/|BAD_HOST
          http://2130706433/|BAD_HOST
          http://0x7f.1/|BAD_HOST
          http://127.1/|BAD_HOST
          http://0177.0.0.1/|BAD_HOST
          http://1.2.3.256/|BAD_HOST
          http://example.0x1/|BAD_HOST
          http://[::::]/|BAD_HOST
          http://[1:2:3]/|BAD_HOST
          http://[12345::1]/|BAD_HOST
          http://[1::2::3]/|BAD_HOST
          http://[1:2:3:4:5:6:7:8:9]/|BAD_HOST
          http://[127.0.0.1]/|BAD_HOST
          http://[::ffff:127.0.0.1]/|BAD_HOST
          http://[::1/|BAD_HOST
          http://[::1]x/|BAD_HOST
          http://[fe80::1%25eth0]/|BAD_HOST
          https://example.com\\@evil.example/|BAD_CHARACTER
          https://example.com/a b|BAD_CHARACTER
          https://example.com/<x>|BAD_CHARACTER
          """)
  void whatIsNoAddressToLinkToIsRefused(String given, Problem problem) {
    refused(given, problem);
  }

  @Test
  void charactersThatHideAreRefused() {
    for (String hidden : new String[] {"\t", "\n", "\r", "\u0000", "\u200b", "\u202e", "\ufeff"}) {
      refused("https://example.com/" + hidden + "x", Problem.BAD_CHARACTER);
    }
  }

  @Test
  void twoThousandAndFortyEightCharactersAreTheMost() throws TargetUrl.Refused {
    String base = "https://example.com/";
    assertThat(TargetUrl.parse(base + "a".repeat(2048 - base.length())).text()).hasSize(2048);
    refused(base + "a".repeat(2049 - base.length()), Problem.TOO_LONG);
    // What a person reads as one character is one.
    String way = base + "道".repeat(800);
    TargetUrl url = TargetUrl.parse(way);
    assertThat(url.text()).hasSize(base.length() + 800 * 9);
    assertThat(TargetUrl.parse(url.text())).isEqualTo(url);
    assertThat(TargetUrl.parse(base + "😀".repeat(600)).text()).hasSize(base.length() + 600 * 12);
    // Short as written, too long for the header of a reply.
    refused(base + "道".repeat(1000), Problem.TOO_LONG_ENCODED);
    refused(base + "%80".repeat(1000), Problem.TOO_LONG);
    refused("https://" + "ü".repeat(63) + ".example/", Problem.BAD_HOST);
    refused("https://" + "a".repeat(64) + ".example/", Problem.BAD_HOST);
  }

  @Property(tries = 2_000)
  void whateverIsAcceptedIsAsciiAndAcceptedAgain(@ForAll String rest) {
    try {
      TargetUrl url = TargetUrl.parse("https://" + rest);
      assertThat(url.text()).matches("[\\x21-\\x7e]+");
      assertThat(TargetUrl.parse(url.text())).isEqualTo(url);
    } catch (TargetUrl.Refused refused) {
      assertThat(refused.problem()).isNotNull();
    }
  }

  private static void refused(String given, Problem problem) {
    assertThatThrownBy(() -> TargetUrl.parse(given))
        .isInstanceOfSatisfying(
            TargetUrl.Refused.class, r -> assertThat(r.problem()).isEqualTo(problem));
  }
}
