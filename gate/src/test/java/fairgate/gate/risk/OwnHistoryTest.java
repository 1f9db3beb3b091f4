package fairgate.gate.risk;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.gate.challenge.GateFixture;
import fairgate.gate.risk.OwnHistory.Asked;
import fairgate.gate.risk.OwnHistory.History;
import fairgate.kernel.Caller;
import fairgate.kernel.ClientAddress;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class OwnHistoryTest {
  private static final Feature PHONE = FeatureSchema.latest().feature("phone_verified");

  private final Queue<Promise<List<History>>> reads = new ArrayDeque<>();
  private final GateFixture fixture = new GateFixture();
  private final Subjects subjects = new Subjects(fixture.keys);
  private final OwnHistory history = new OwnHistory(subjects, this::read);

  @AfterEach
  void close() {
    fixture.close();
  }

  private Future<List<History>> read(List<Asked> asked) {
    assertThat(asked).containsExactly(new Asked("acc_1", subjects.ofAccount("acc_1")));
    Promise<List<History>> promise = Promise.promise();
    reads.add(promise);
    return promise.future();
  }

  private Features.Builder contribute() {
    Features.Builder features = Features.builder();
    var _ =
        history.contribute(
            new RiskRequest(
                RiskRoute.JOIN,
                "7",
                null,
                new Caller(ClientAddress.NONE, "", null, null, "acc_1"),
                false,
                0),
            features);
    return features;
  }

  private void answer(boolean phone) {
    reads.remove().complete(List.of(new History(1, false, phone, false, false, 0, 0, 0, 0, 0, 0)));
  }

  private boolean isVerified() {
    return contribute().build().flag(PHONE);
  }

  @Test
  void aHistoryIsKeptUntilItIsForgotten() {
    Features.Builder first = contribute();
    answer(false);
    assertThat(first.build().flag(PHONE)).isFalse();
    assertThat(isVerified()).isFalse();
    assertThat(reads).as("kept").isEmpty();
    history.forget("acc_1");
    Features.Builder fresh = contribute();
    answer(true);
    assertThat(fresh.build().flag(PHONE)).isTrue();
    assertThat(isVerified()).isTrue();
    assertThat(reads).isEmpty();
  }

  @Test
  void aReadThatBeganBeforeTheVerificationIsNotKept() {
    Features.Builder before = contribute();
    history.forget("acc_1");
    answer(false);
    assertThat(before.build().flag(PHONE)).isFalse();
    Features.Builder after = contribute();
    answer(true);
    assertThat(after.build().flag(PHONE)).isTrue();
    assertThat(isVerified()).isTrue();
  }
}
