package fairgate.gate.challenge;

import fairgate.kernel.ChallengeResult;
import fairgate.platform.observe.Metrics;
import io.micrometer.core.instrument.Counter;
import io.vertx.core.Future;

/// Counts the verdicts of a provider in `fairgate_challenge_total`.
public final class CountedChallenge implements ChallengeProvider {
  private final ChallengeProvider provider;
  private final Counter accepted;
  private final Counter rejected;
  private final Counter unavailable;

  public CountedChallenge(ChallengeProvider provider, Metrics metrics) {
    this.provider = provider;
    this.accepted = counter(metrics, "accepted");
    this.rejected = counter(metrics, "rejected");
    this.unavailable = counter(metrics, "unavailable");
  }

  @Override
  public String name() {
    return provider.name();
  }

  @Override
  public Future<ChallengeResult> verify(String token, ChallengeProvider.Context context) {
    return provider.verify(token, context).onSuccess(this::count);
  }

  @Override
  public String settings() {
    return provider.settings();
  }

  @Override
  public String offer(ChallengeProvider.Context context) {
    return provider.offer(context);
  }

  @Override
  public void close() {
    provider.close();
  }

  private void count(ChallengeResult proof) {
    switch (proof) {
      case ChallengeResult.Accepted _ -> accepted.increment();
      case ChallengeResult.Rejected _ -> rejected.increment();
      case ChallengeResult.Unavailable _ -> unavailable.increment();
    }
  }

  private Counter counter(Metrics metrics, String outcome) {
    return metrics.counter(
        "fairgate_challenge_total",
        "Challenge tokens judged",
        "provider",
        provider.name(),
        "outcome",
        outcome);
  }
}
