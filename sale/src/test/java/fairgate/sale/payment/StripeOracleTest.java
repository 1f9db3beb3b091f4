package fairgate.sale.payment;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.stripe.StripeClient;
import com.stripe.exception.SignatureVerificationException;
import com.stripe.exception.StripeException;
import com.stripe.model.Event;
import com.stripe.model.Refund;
import com.stripe.model.checkout.Session;
import com.stripe.net.Webhook;
import com.stripe.param.RefundCreateParams;
import com.stripe.param.RefundListParams;
import com.stripe.param.checkout.SessionCreateParams;
import fairgate.kernel.Money;
import fairgate.kernel.WebhookSignature.Result;
import fairgate.testkit.pay.FakeStripe;
import java.nio.charset.StandardCharsets;
import java.security.InvalidKeyException;
import java.security.NoSuchAlgorithmException;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Stripe's own library signs what the server verifies, and reads what the fake sends.
final class StripeOracleTest {
  private static final String KEY = "sk_test_1";
  private static final String SECRET = "whsec_test_0Qm7pXkV3sTzYc4Lr9Wn2HbJ6dGfAe1u";
  private static final Instant NOW = Instant.ofEpochSecond(1_764_075_600);

  private final FakeStripe stripe = new FakeStripe(KEY, SECRET, Clock.systemUTC());
  private final StripeClient client =
      StripeClient.builder().setApiKey(KEY).setApiBase(stripe.url()).build();

  @AfterEach
  void close() {
    stripe.close();
  }

  private static Result verify(String header, String body) {
    StripeSignature signature =
        new StripeSignature(List.of("whsec_newer", SECRET), Clock.fixed(NOW, ZoneOffset.UTC));
    return signature.verify(header, body.getBytes(StandardCharsets.UTF_8));
  }

  private static String header(long time, String body)
      throws NoSuchAlgorithmException, InvalidKeyException {
    String mac = Webhook.Util.computeHmacSha256(SECRET, time + "." + body);
    return "t=" + time + ",v1=" + mac + ",v0=6ffbb59b2300aae63f272406069a9788598b792a";
  }

  @Test
  void signaturesOfTheLibraryAreGenuineForFiveMinutes()
      throws NoSuchAlgorithmException, InvalidKeyException {
    String body = "{\"id\":\"evt_1\",\"name\":\"\u5f90\"}";
    long now = NOW.getEpochSecond();
    assertThat(verify(header(now, body), body)).isEqualTo(Result.GENUINE);
    assertThat(verify(header(now - 300, body), body)).isEqualTo(Result.GENUINE);
    assertThat(verify(header(now - 301, body), body)).isEqualTo(Result.STALE);
    assertThat(verify(header(now + 301, body), body)).isEqualTo(Result.STALE);
    assertThat(verify(header(now, body), body + " ")).isEqualTo(Result.FORGED);
    assertThat(verify(header(now, body).replace("t=", "t=1"), body)).isEqualTo(Result.FORGED);
    assertThat(verify("t=" + now, body)).isEqualTo(Result.FORGED);
    assertThat(verify("", body)).isEqualTo(Result.FORGED);
  }

  @Test
  void theLibraryReadsEventsOfTheFake() throws StripeException, SignatureVerificationException {
    Session session = create("order_7_00000000000000000000000001");
    ObjectNode made = stripe.sessions("order_7_00000000000000000000000001").getFirst();
    assertThat(stripe.pay(made, 5_600, false)).isTrue();
    String text = stripe.completed(made);
    long now = Clock.systemUTC().instant().getEpochSecond();
    Event event = Webhook.constructEvent(text, stripe.signature(text, now), SECRET);
    assertThat(event.getType()).isEqualTo("checkout.session.completed");
    Session paid = client.v1().checkout().sessions().retrieve(session.getId());
    assertThat(paid.getStatus()).isEqualTo("complete");
    assertThat(paid.getPaymentStatus()).isEqualTo("paid");
    assertThat(paid.getAmountTotal()).isEqualTo(5_600);

    Refund refund =
        client
            .v1()
            .refunds()
            .create(
                RefundCreateParams.builder()
                    .setPaymentIntent(paid.getPaymentIntent())
                    .setAmount(600L)
                    .putMetadata("fairgate_key", "k")
                    .build());
    assertThat(refund.getStatus()).isEqualTo("succeeded");
    RefundListParams of =
        RefundListParams.builder().setPaymentIntent(paid.getPaymentIntent()).build();
    assertThat(client.v1().refunds().list(of).getData())
        .singleElement()
        .satisfies(found -> assertThat(found.getMetadata()).containsEntry("fairgate_key", "k"));
  }

  @Test
  void theLibraryExpiresSessionsOfTheFakeOnce() throws StripeException {
    Session session = create("order_7_00000000000000000000000002");
    assertThat(client.v1().checkout().sessions().expire(session.getId()).getStatus())
        .isEqualTo("expired");
    try {
      Session _ = client.v1().checkout().sessions().expire(session.getId());
      throw new AssertionError("an expired session expires again");
    } catch (StripeException e) {
      assertThat(e.getStatusCode()).isEqualTo(400);
    }
  }

  private Session create(String order) throws StripeException {
    return client
        .v1()
        .checkout()
        .sessions()
        .create(
            SessionCreateParams.builder()
                .setMode(SessionCreateParams.Mode.PAYMENT)
                .setClientReferenceId(order)
                .putMetadata("order_id", order)
                .setExpiresAt(Clock.systemUTC().instant().getEpochSecond() + 3_600)
                .setSuccessUrl("https://shop.example/")
                .addLineItem(
                    SessionCreateParams.LineItem.builder()
                        .setQuantity(1L)
                        .setPriceData(
                            SessionCreateParams.LineItem.PriceData.builder()
                                .setCurrency("twd")
                                .setUnitAmount(5_600L)
                                .setProductData(
                                    SessionCreateParams.LineItem.PriceData.ProductData.builder()
                                        .setName("Ticket")
                                        .build())
                                .build())
                        .build())
                .build());
  }

  @Test
  void amountsHaveStripesDecimals() {
    assertThat(StripeAmount.of(new Money(560_000, "TWD"))).hasValue(560_000);
    assertThat(StripeAmount.of(new Money(500, "JPY"))).hasValue(500);
    assertThat(StripeAmount.of(new Money(500, "ISK"))).hasValue(50_000);
    assertThat(StripeAmount.of(new Money(1_234, "KWD"))).hasValue(1_234);
    assertThat(StripeAmount.of(new Money(150, "MGA"))).isEmpty();
    assertThat(StripeAmount.parse(50_000, "isk")).isEqualTo(new Money(500, "ISK"));
    assertThat(StripeAmount.parse(5, "mga")).isEqualTo(new Money(500, "MGA"));
  }
}
