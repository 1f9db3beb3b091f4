package fairgate.gate.signature;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.gate.signature.FieldParser.InnerList;
import fairgate.gate.signature.SignatureService.SignatureBase;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Base64;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;

class SignatureBaseTest {
  private final SentMessage message = new SentMessage();

  private String base(String... components) {
    return SignatureBase.of(message, List.of(components), "()").orElse("none");
  }

  /// RFC 9421, appendix B.2.5, with the shared secret of B.1.5.
  @Test
  void theExampleOfTheRfcMatches() throws GeneralSecurityException {
    message.host = "example.com";
    message.target = "/foo?param=Value&Pet=dog";
    message.header("date", "Tue, 20 Apr 2021 02:07:55 GMT");
    message.header("content-type", "application/json");
    InnerList input =
        FieldParser.innerLists(
                "sig-b25=(\"date\" \"@authority\" \"content-type\");created=1618884473"
                    + ";keyid=\"test-shared-secret\"")
            .values()
            .iterator()
            .next();
    String base = SignatureBase.of(message, input.items(), input.written()).orElseThrow();
    String secret =
        "uzvJfB4u3N0Jy4T7NZ75MDVcr8zSTInedJtkgcu46YW4XByzNJjxBdtjUkdJPBtbmHhIDi6pcl8jsasjlTMtDQ==";
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(Base64.getDecoder().decode(secret), "HmacSHA256"));
    byte[] signature = mac.doFinal(base.getBytes(StandardCharsets.UTF_8));
    assertThat(Base64.getEncoder().encodeToString(signature))
        .isEqualTo("pxcQw6G3AjtMBQjwo8XzkZf/bws5LelbaMk5rGIGtE8=");
  }

  @Test
  void derivedComponentsComeFromTheRequestAsSent() {
    message.method = "GET";
    message.host = "Shop.Example:443";
    message.target = "/api/a%2Fb//c?x=%20&y";
    assertThat(base("@method", "@authority", "@path", "@query", "@request-target"))
        .isEqualTo(
            """
            "@method": GET
            "@authority": shop.example
            "@path": /api/a%2Fb//c
            "@query": ?x=%20&y
            "@request-target": /api/a%2Fb//c?x=%20&y
            "@signature-params": ()\
            """);
  }

  @Test
  void anEmptyQueryIsAMarkAndANonDefaultPortStays() {
    message.host = "shop.example:8080";
    assertThat(base("@query", "@authority")).contains("\"@query\": ?\n", ": shop.example:8080\n");
  }

  @Test
  void repeatedFieldsAreJoined() {
    message.header("X-Many", " a ").header("x-many", "b,c").header("x-empty", "");
    assertThat(base("x-many", "x-empty")).contains("\"x-many\": a, b,c\n\"x-empty\": \n");
  }

  @Test
  void unknownAbsentOrRepeatedComponentsHaveNoBase() {
    assertThat(base("@scheme")).isEqualTo("none");
    assertThat(base("@signature-params")).isEqualTo("none");
    assertThat(base("x-absent")).isEqualTo("none");
    assertThat(base("X-Session-Id")).isEqualTo("none");
    assertThat(base("@method", "@method")).isEqualTo("none");
  }
}
