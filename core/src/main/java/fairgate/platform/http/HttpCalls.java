package fairgate.platform.http;

import fairgate.platform.run.BlockingWork;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/// Calls to an outside service over HTTP/1.1. A call blocks for at most the time limit, which
/// covers a slow body; redirects are not followed. The threads of the client start with the first
/// call. Safe for use by any thread.
public final class HttpCalls implements AutoCloseable {
  private final String name;
  private final Duration timeLimit;
  private final long maxReplyBytes;
  private @Nullable HttpClient client;
  private boolean closed;

  /// @param name of the threads
  /// @param timeLimit of one call, until the last byte of its reply
  /// @param maxReplyBytes length of a reply's body, beyond which the call fails
  public HttpCalls(String name, Duration timeLimit, long maxReplyBytes) {
    this.name = name;
    this.timeLimit = timeLimit;
    this.maxReplyBytes = maxReplyBytes;
  }

  /// There was no complete reply.
  public static final class NoReply extends IOException {
    private static final long serialVersionUID = 1L;
    private final boolean sent;

    private NoReply(String reason, boolean sent, @Nullable Throwable cause) {
      super(reason, cause);
      this.sent = sent;
    }

    /// Whether the service may have received the request; otherwise there was no connection.
    public boolean mayBeSent() {
      return sent;
    }

    /// The reason, for logs and operators.
    public String reason() {
      return String.valueOf(getMessage());
    }
  }

  /// A request with the time limit. Throws IllegalArgumentException for an invalid address.
  public HttpRequest.Builder request(String address) {
    return HttpRequest.newBuilder(URI.create(address))
        .timeout(timeLimit)
        .header("user-agent", "Fairgate");
  }

  /// Sends a request of `request`, and returns the reply with any status.
  public HttpResponse<byte[]> send(HttpRequest.Builder request) throws NoReply {
    CompletableFuture<HttpResponse<byte[]>> reply =
        client()
            .sendAsync(
                request.build(), BodyHandlers.limiting(BodyHandlers.ofByteArray(), maxReplyBytes));
    try {
      // The limit of the request ends with the head. This one covers a slow body.
      return reply.get(timeLimit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      boolean _ = reply.cancel(true);
      throw new NoReply("no answer in " + timeLimit.toMillis() + " ms", true, null);
    } catch (ExecutionException e) {
      Throwable cause = e.getCause();
      throw new NoReply(
          String.valueOf(cause),
          !(cause instanceof ConnectException || cause instanceof HttpConnectTimeoutException),
          cause);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      boolean _ = reply.cancel(true);
      throw new NoReply("interrupted", true, null);
    }
  }

  private synchronized HttpClient client() throws NoReply {
    if (closed) {
      throw new NoReply("closed", false, null);
    }
    HttpClient made = client;
    if (made == null) {
      made =
          HttpClient.newBuilder()
              .version(HttpClient.Version.HTTP_1_1)
              .followRedirects(HttpClient.Redirect.NEVER)
              .connectTimeout(timeLimit)
              .executor(BlockingWork.executor(name))
              .build();
      client = made;
    }
    return made;
  }

  /// Aborts calls under way.
  @Override
  public synchronized void close() {
    closed = true;
    if (client != null) {
      client.shutdownNow();
    }
  }
}
