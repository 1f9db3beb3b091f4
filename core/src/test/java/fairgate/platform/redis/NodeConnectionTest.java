package fairgate.platform.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import fairgate.TestEngines;
import fairgate.kernel.ServiceUnavailable;
import fairgate.platform.run.EngineWait;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetServer;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
final class NodeConnectionTest {
  private final Vertx vertx = Vertx.vertx();

  @AfterEach
  void end() {
    var _ = vertx.close().await();
  }

  /// An old Redis that closes the connection on GET.
  private NetServer redisThatClosesOnGet() {
    return vertx
        .createNetServer()
        .connectHandler(
            socket ->
                socket.handler(
                    request -> {
                      String text = request.toString().toUpperCase(Locale.ROOT);
                      if (text.contains("GET")) {
                        var _ = socket.close();
                      } else {
                        String answer = text.contains("HELLO") ? "-ERR unknown command" : "+OK";
                        var _ = socket.write(Buffer.buffer(answer + "\r\n"));
                      }
                    }))
        .listen(0, "127.0.0.1")
        .await();
  }

  @Test
  void aCallOnAClosedConnectionHasAnUnknownOutcome() {
    String uri = "redis://127.0.0.1:" + redisThatClosesOnGet().actualPort();
    try (RedisClient client =
        RedisClient.connect(vertx, new RedisSettings(uri, Duration.ofSeconds(5))).await()) {
      assertThatThrownBy(() -> client.send("GET", "key").await())
          .isInstanceOf(ServiceUnavailable.class);
    }
  }

  /// On a busy machine the first encrypted connections may end before they are open.
  @Test
  void anEngineThatEndsTheFirstConnectionsIsAskedAgain() {
    AtomicInteger opened = new AtomicInteger();
    NetServer busy =
        vertx
            .createNetServer()
            .connectHandler(
                socket -> {
                  if (opened.incrementAndGet() <= 2) {
                    var _ = socket.close();
                  } else {
                    socket.handler(_ -> socket.write(Buffer.buffer("+OK\r\n")));
                  }
                })
            .listen(0, "127.0.0.1")
            .await();
    connect("redis://127.0.0.1:" + busy.actualPort()).close();
    assertThat(opened.get()).isGreaterThan(2);
  }

  /// Waiting would not change it, so a program that starts does not wait.
  @Test
  void aWrongPasswordIsARefusal() {
    String uri = TestEngines.shared().redisUri() + "?user=nobody&password=wrong";
    assertThatThrownBy(() -> connect(uri).close())
        .hasMessageContaining("WRONGPASS")
        .hasMessageContaining("correct the user and the password in redis.url")
        .asInstanceOf(InstanceOfAssertFactories.type(ServiceUnavailable.class))
        .returns(true, ServiceUnavailable::isRefusal);
  }

  @Test
  void aMissingPasswordIsARefusal() {
    NetServer locked =
        vertx
            .createNetServer()
            .connectHandler(
                socket ->
                    socket.handler(
                        _ -> socket.write(Buffer.buffer("-NOAUTH Authentication required.\r\n"))))
            .listen(0, "127.0.0.1")
            .await();
    assertThatThrownBy(
            () -> {
              try (RedisClient client = connect("redis://127.0.0.1:" + locked.actualPort())) {
                var _ = client.facts().await();
              }
            })
        .hasMessageContaining("NOAUTH")
        .asInstanceOf(InstanceOfAssertFactories.type(ServiceUnavailable.class))
        .returns(true, ServiceUnavailable::isRefusal);
  }

  private RedisClient connect(String uri) {
    return new EngineWait(Duration.ofMinutes(5))
        .answer(() -> RedisClient.connect(vertx, new RedisSettings(uri, Duration.ofSeconds(30))));
  }
}
