package fairgate.platform.tls;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetClientOptions;
import io.vertx.core.net.NetSocket;
import java.io.IOException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLPeerUnverifiedException;

/// The protocol that an engine and this client agree on, and the end of the engine's certificate.
///
/// @param protocol such as `TLSv1.3`
public record TlsPeer(String protocol, Instant expires) {
  private static final Duration PATIENCE = Duration.ofSeconds(3);

  /// The request for encryption of PostgreSQL's protocol: length and code.
  private static final Buffer POSTGRES_REQUEST = Buffer.buffer().appendInt(8).appendInt(80877103);

  /// Connects to a server that speaks TLS from the first byte, such as Redis. Fails when the
  /// certificate is not accepted.
  public static Future<TlsPeer> direct(Vertx vertx, String host, int port, TlsFiles files) {
    return connect(vertx, host, port)
        .compose(socket -> upgraded(socket, host, files, true))
        .timeout(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
  }

  /// Connects to a PostgreSQL and asks for encryption. Fails when it is refused, or the certificate
  /// is not accepted.
  ///
  /// @param verify whether the certificate and its name are checked
  public static Future<TlsPeer> postgres(
      Vertx vertx, String host, int port, TlsFiles files, boolean verify) {
    return connect(vertx, host, port)
        .compose(
            socket -> {
              Promise<Buffer> answer = Promise.promise();
              socket.handler(answer::tryComplete);
              socket.closeHandler(_ -> answer.tryFail(new IOException("closed")));
              return socket
                  .write(POSTGRES_REQUEST)
                  .compose(_ -> answer.future())
                  .compose(
                      reply ->
                          reply.getByte(0) == 'S'
                              ? upgraded(socket, host, files, verify)
                              : Future.failedFuture(new IOException("TLS is refused")));
            })
        .timeout(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
  }

  private static Future<NetSocket> connect(Vertx vertx, String host, int port) {
    NetClient client =
        vertx.createNetClient(new NetClientOptions().setConnectTimeout((int) PATIENCE.toMillis()));
    return client.connect(port, host);
  }

  private static Future<TlsPeer> upgraded(
      NetSocket socket, String host, TlsFiles files, boolean verify) {
    var options = files.options();
    if (!verify) {
      options.setTrustAll(true).setHostnameVerificationAlgorithm("");
    }
    return socket
        .upgradeToSsl(options, host)
        .compose(
            _ -> {
              try {
                X509Certificate certificate =
                    (X509Certificate) socket.sslSession().getPeerCertificates()[0];
                String protocol = socket.sslSession().getProtocol();
                return Future.succeededFuture(
                    new TlsPeer(protocol, certificate.getNotAfter().toInstant()));
              } catch (SSLPeerUnverifiedException e) {
                return Future.failedFuture(e);
              } finally {
                var _ = socket.close();
              }
            });
  }
}
