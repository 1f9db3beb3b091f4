package fairgate.redeem;

import fairgate.kernel.ErrorCode;
import fairgate.platform.http.Reply;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.concurrent.TimeUnit;

/// Makes refusals tell nothing of an order: one code, and a time that does not depend on why.
final class UniformErrors {
  private final Vertx vertx;
  private final RedeemConfig.Uniform config;

  UniformErrors(Vertx vertx, RedeemConfig.Uniform config) {
    this.vertx = vertx;
    this.config = config;
  }

  boolean isOn() {
    return config.on();
  }

  /// The one refusal, when the time has come.
  ///
  /// @param start when the request came, in nanoseconds
  Future<Reply> refuse(long start) {
    long spent = System.nanoTime() - start;
    return vertx
        .timer(restNanos(spent, config.grid().toNanos()), TimeUnit.NANOSECONDS)
        .map(_ -> RedeemRoutes.refuse(ErrorCode.ORDER_NOT_FOUND));
  }

  /// What is missing to the next multiple of the grid.
  static long restNanos(long spent, long grid) {
    return grid - spent % grid;
  }
}
