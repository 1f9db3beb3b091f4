package fairgate.platform.events;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.kernel.ProductId;
import fairgate.platform.events.OutboxSink.DeadLetters;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class OutboxDeliveryTest {
  private static final OutboxEntry ENTRY = new OutboxEntry("1795918341013-0", Map.of("seq", "17"));

  private final List<OutboxStream> stored = new ArrayList<>();
  private final List<OutboxStream> finished = new ArrayList<>();

  private final OutboxDelivery.Listener listener =
      new OutboxDelivery.Listener() {
        @Override
        public void finished(OutboxStream stream, List<OutboxEntry> entries) {
          finished.add(stream);
        }

        @Override
        public void unavailable() {}
      };

  private final DeadLetters letters =
      new DeadLetters() {
        @Override
        public void park(OutboxStream stream, OutboxEntry entry, String error, int tries) {}

        @Override
        public long open() {
          return 0;
        }
      };

  private static OutboxStream ofPartition(String product) {
    return new OutboxStream(new ProductId(product), "fairgate.orders-8");
  }

  @Test
  void anEntryIsDeliveredWhileOneOfAnotherSaleWithTheSameIdIsRefused() {
    OutboxStream refused = ofPartition("3");
    OutboxStream other = ofPartition("9");
    OutboxDelivery delivery =
        new OutboxDelivery(
            (stream, _) -> {
              if (stream.equals(refused)) {
                throw new IllegalStateException("refused");
              }
              stored.add(stream);
            },
            letters,
            OutboxRelay.Settings.standard(),
            new StopSignal());

    delivery.deliver(refused, List.of(ENTRY), listener);
    delivery.deliver(other, List.of(ENTRY), listener);

    assertThat(stored).containsExactly(other);
    assertThat(finished).containsExactly(other);
  }
}
