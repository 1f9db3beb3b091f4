package fairgate.sale.payment;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestEngines;
import fairgate.kernel.Money;
import fairgate.sale.ledger.LedgerFixture;
import fairgate.sale.payment.PaymentProvider.RefundOutcome;
import java.time.Duration;
import java.util.OptionalLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
final class PostgresRefundJournalTest {
  private static final RefundOutcome REFUNDED = new RefundOutcome.Refunded();
  private static final RefundOutcome LOST = new RefundOutcome.Unknown("lost");
  private static final RefundOutcome NO = new RefundOutcome.Refused("no");

  private final LedgerFixture books = LedgerFixture.fresh(TestEngines.shared());
  private final PostgresRefundJournal journal =
      new PostgresRefundJournal(books.database(), Duration.ZERO);
  private final Provider provider = new Provider();

  @AfterEach
  void close() {
    books.close();
  }

  /// Returns money at each call, and answers as it is told.
  private static final class Provider implements PostgresRefundJournal.Call {
    private long returned;
    private int calls;
    private boolean acts = true;
    private boolean tells = true;
    private RefundOutcome answer = REFUNDED;

    @Override
    public OptionalLong returned() {
      return OptionalLong.of(returned);
    }

    @Override
    public boolean tellsSum() {
      return tells;
    }

    @Override
    public RefundOutcome refund() {
      calls++;
      returned += acts ? 100 : 0;
      return answer;
    }
  }

  private RefundOutcome once(String key) throws ProviderHttp.NoAnswer {
    return journal.once(new Payment("p1", new Money(100, "TWD")), key, provider);
  }

  @Test
  void aRepeatDoesNotCallAgain() throws ProviderHttp.NoAnswer {
    assertThat(once("a")).isEqualTo(REFUNDED);
    assertThat(once("a")).isEqualTo(REFUNDED);
    assertThat(provider.calls).isEqualTo(1);
    assertThat(once("b")).isEqualTo(REFUNDED);
    assertThat(provider.returned).isEqualTo(200);
  }

  @Test
  void aCallWhoseReplyWasLostIsFoundByTheSum() throws ProviderHttp.NoAnswer {
    provider.answer = LOST;
    assertThat(once("a")).isEqualTo(LOST);
    assertThat(once("a")).isEqualTo(REFUNDED);
    assertThat(provider.calls).isEqualTo(1);
  }

  @Test
  void aCallThatWasLostIsMadeAgain() throws ProviderHttp.NoAnswer {
    provider.answer = LOST;
    provider.acts = false;
    assertThat(once("a")).isEqualTo(LOST);
    provider.answer = REFUNDED;
    provider.acts = true;
    assertThat(once("a")).isEqualTo(REFUNDED);
    assertThat(provider.calls).isEqualTo(2);
    assertThat(provider.returned).isEqualTo(100);
  }

  @Test
  void nothingIsRepeatedWhileTheProviderMayStillWork() throws ProviderHttp.NoAnswer {
    PostgresRefundJournal patient =
        new PostgresRefundJournal(books.database(), Duration.ofMinutes(1));
    Payment payment = new Payment("p1", new Money(100, "TWD"));
    provider.answer = LOST;
    provider.acts = false;
    assertThat(patient.once(payment, "a", provider)).isEqualTo(LOST);
    assertThat(patient.once(payment, "a", provider)).isInstanceOf(RefundOutcome.Unknown.class);
    assertThat(provider.calls).isEqualTo(1);
  }

  @Test
  void twoRefundsOfAPaymentTakeTurns() throws ProviderHttp.NoAnswer {
    provider.answer = LOST;
    assertThat(once("a")).isEqualTo(LOST);
    assertThat(once("b")).isInstanceOf(RefundOutcome.Unknown.class);
    assertThat(provider.calls).isEqualTo(1);
    provider.answer = REFUNDED;
    assertThat(once("a")).isEqualTo(REFUNDED);
    assertThat(once("b")).isEqualTo(REFUNDED);
    assertThat(provider.returned).isEqualTo(200);
  }

  @Test
  void aPersonDecidesWhenTheSumTellsNothing() throws ProviderHttp.NoAnswer {
    provider.answer = LOST;
    assertThat(once("a")).isEqualTo(LOST);
    provider.returned = 70;
    assertThat(once("a")).isInstanceOf(RefundOutcome.Refused.class);
    provider.tells = false;
    assertThat(once("b")).isEqualTo(LOST);
    assertThat(once("b")).isInstanceOf(RefundOutcome.Refused.class);
    assertThat(provider.calls).isEqualTo(2);
  }

  @Test
  void aRefusedCallMayBeMadeAgain() throws ProviderHttp.NoAnswer {
    provider.answer = NO;
    provider.acts = false;
    assertThat(once("a")).isEqualTo(NO);
    provider.answer = REFUNDED;
    provider.acts = true;
    assertThat(once("a")).isEqualTo(REFUNDED);
  }
}
