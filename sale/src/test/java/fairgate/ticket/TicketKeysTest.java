package fairgate.ticket;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestIds;
import fairgate.kernel.KeyRing;
import fairgate.kernel.ProductId;
import fairgate.platform.json.Jws;
import fairgate.ticket.TicketKeys.Claims;
import fairgate.ticket.TicketService.TicketLinks;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class TicketKeysTest {
  private static final ProductId PRODUCT = new ProductId("7");
  private static final TicketId TICKET = new TicketId("7k4p92xm3tqa");

  private static byte[] master(int fill) {
    byte[] secret = new byte[32];
    Arrays.fill(secret, (byte) fill);
    return secret;
  }

  private final TicketKeys keys = new TicketKeys(new KeyRing("k1", Map.of("k1", master(1))));
  private final String text = keys.sign(PRODUCT, TICKET);

  private static String part(String text, int i) {
    return text.split("\\.", -1)[i];
  }

  private static String decoded(String part) {
    return new String(Jws.decoded(part).orElseThrow(), StandardCharsets.UTF_8);
  }

  @Test
  void aCodeSaysTheSaleAndTheTicketAndNothingElse() {
    assertThat(keys.verify(text)).contains(new Claims(PRODUCT, TICKET));
    assertThat(decoded(part(text, 1))).isEqualTo("{\"aud\":\"7\",\"jti\":\"7k4p92xm3tqa\"}");
    assertThat(text.length()).isLessThan(260);
  }

  @Test
  void whateverWasChangedIsRefused() {
    String header = part(text, 0);
    String claims = part(text, 1);
    String signature = part(text, 2);
    String other = Jws.encoded("{\"aud\":\"7\",\"jti\":\"7k4p92xm3tqb\"}");
    String none =
        Jws.encoded("{\"alg\":\"none\",\"kid\":\"7.ticket.k1\",\"typ\":\"fg-ticket+jwt\"}");
    String symmetric = Jws.encoded(decoded(header).replace("ES256", "HS256"));
    Stream.of(
            header + '.' + other + '.' + signature,
            none + '.' + claims + '.',
            none + '.' + claims + '.' + signature,
            symmetric + '.' + claims + '.' + signature,
            header + '.' + claims + '.' + signature.substring(1) + 'A',
            header + '.' + claims + '.' + Jws.encoded(new byte[64]),
            header + '.' + claims + '.',
            text + '.' + signature,
            text + "x".repeat(TicketKeys.MAX_LENGTH),
            "..",
            "7k4p92xm3tqa")
        .forEach(forged -> assertThat(keys.verify(forged)).as(forged).isEmpty());
  }

  @Test
  void theKeyOfOneSaleSignsForNoOther() {
    String foreign = keys.sign(new ProductId("8"), TICKET);
    assertThat(keys.verify(foreign)).contains(new Claims(new ProductId("8"), TICKET));
    assertThat(keys.verify(part(text, 0) + '.' + part(foreign, 1) + '.' + part(foreign, 2)))
        .isEmpty();
    assertThat(keys.verify(part(foreign, 0) + '.' + part(text, 1) + '.' + part(foreign, 2)))
        .isEmpty();
  }

  @Test
  void codesStayValidWhileTheirMasterKeyIsKept() {
    TicketKeys rotated =
        new TicketKeys(new KeyRing("k2", Map.of("k2", master(2), "k1", master(1))));
    assertThat(rotated.verify(text)).isPresent();
    assertThat(new String(rotated.jwks(PRODUCT), StandardCharsets.UTF_8))
        .contains("7.ticket.k1", "7.ticket.k2");
    TicketKeys removed = new TicketKeys(new KeyRing("k2", Map.of("k2", master(2))));
    assertThat(removed.verify(text)).isEmpty();
    TicketKeys stranger = new TicketKeys(new KeyRing("k1", Map.of("k1", master(3))));
    assertThat(keys.verify(stranger.sign(PRODUCT, TICKET))).isEmpty();
  }

  @Test
  void anIdIsReadAsPeopleTypeIt() {
    assertThat(TICKET).hasToString("7K4P-92XM-3TQA");
    assertThat(TicketId.parse(" 7k4p 92XM-3tqa")).contains(TICKET);
    assertThat(TicketId.parse("OIL0-1111-1111")).contains(new TicketId("011011111111"));
    assertThat(TicketId.parse("7K4P-92XM-3TQ")).isEmpty();
    assertThat(TicketId.parse("7K4P-92XM-3TQU")).isEmpty();
    TestIds ids = new TestIds();
    assertThat(Stream.generate(() -> TicketId.random(ids)).limit(100).distinct()).hasSize(100);
  }

  @Test
  void aLinkIsBoundToItsTicketItsUseAndItsOffer() {
    TicketLinks links = new TicketLinks(new KeyRing("k1", Map.of("k1", master(1))));
    var link = links.parse(links.make(TicketLinks.Kind.OFFER, TICKET, 1)).orElseThrow();
    assertThat(links.isValid(link, TicketLinks.Kind.OFFER, 1)).isTrue();
    assertThat(links.isValid(link, TicketLinks.Kind.OFFER, 2)).isFalse();
    assertThat(links.isValid(link, TicketLinks.Kind.OWN, 1)).isFalse();
    var moved = links.parse("7k4p92xm3tqb.k1." + Jws.encoded(link.mac())).orElseThrow();
    assertThat(links.isValid(moved, TicketLinks.Kind.OFFER, 1)).isFalse();
    assertThat(links.parse("7k4p92xm3tqa.k9." + Jws.encoded(link.mac()))).isEmpty();
    assertThat(links.parse("7k4p92xm3tqa.k1")).isEmpty();
  }
}
