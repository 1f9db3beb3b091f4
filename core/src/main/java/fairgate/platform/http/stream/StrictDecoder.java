package fairgate.platform.http.stream;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.util.AsciiString;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.impl.VertxHttpRequestDecoder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A request decoder that refuses heads which two servers may read differently (request smuggling).
///
/// Netty repairs such heads: it drops a `Content-Length` beside `Transfer-Encoding` and joins
/// folded lines. RFC 9112 permits a server to refuse both and requires it for `Host`. Vert.x
/// receives a refused head as a request with a decoder failure, and nothing after it is read.
public final class StrictDecoder extends VertxHttpRequestDecoder {
  /// The name of Vert.x's own decoder in the pipeline.
  private static final String HANDLER_NAME = "httpDecoder";

  private @Nullable ByteBuf input;
  private boolean inFields;
  private boolean folded;
  private int lengths;
  private int nextLine;

  private StrictDecoder(HttpServerOptions options) {
    super(options);
  }

  /// Replaces the decoder of Vert.x. Must be called on the connection's event loop before anything
  /// has been read.
  ///
  /// @param options the options of the server
  public static void install(HttpConnection connection, HttpServerOptions options) {
    VertxInternals.withChannel(
        connection,
        channel -> {
          ChannelPipeline pipeline = channel.pipeline();
          if (pipeline.get(HANDLER_NAME) != null) {
            var _ = pipeline.replace(HANDLER_NAME, HANDLER_NAME, new StrictDecoder(options));
          }
        });
  }

  @Override
  protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) throws Exception {
    input = in;
    nextLine = in.readerIndex();
    super.decode(ctx, in, out);
    inFields &= out.isEmpty();
    if (inFields) {
      // The rest of the head is yet to arrive, and these bytes may be released by then.
      lookForFolds(in);
    }
  }

  /// Netty calls this after the request line.
  @Override
  protected HttpMessage createMessage(String[] initialLine) {
    inFields = true;
    folded = false;
    lengths = 0;
    if (input != null) {
      nextLine = input.readerIndex();
    }
    return super.createMessage(initialLine);
  }

  @Override
  protected AsciiString splitHeaderName(byte[] line, int start, int length) {
    AsciiString name = super.splitHeaderName(line, start, length);
    if (HttpHeaderNames.CONTENT_LENGTH.contentEqualsIgnoreCase(name)) {
      lengths++;
    }
    return name;
  }

  /// Netty calls this after all fields of a head and before it decides on the body. It turns an
  /// exception into a failed request.
  @Override
  protected boolean isContentAlwaysEmpty(HttpMessage head) {
    inFields = false;
    if (input != null) {
      lookForFolds(input);
    }
    if (folded) {
      throw new IllegalArgumentException("a header field is folded");
    }
    // With HTTP/1.0, Netty would use the first.
    if (lengths > 1) {
      throw new IllegalArgumentException("repeated Content-Length");
    }
    if (head instanceof HttpRequest) {
      requireOneHost(head);
      requirePlainFraming(head);
    }
    return super.isContentAlwaysEmpty(head);
  }

  /// A line that begins with a space or a tab continues the previous one.
  private void lookForFolds(ByteBuf in) {
    int end = in.readerIndex();
    for (int at = nextLine; at < end; at = in.indexOf(at, end, (byte) '\n') + 1) {
      byte first = in.getByte(at);
      folded |= first == ' ' || first == '\t';
    }
    nextLine = end;
  }

  /// RFC 9112, section 3.2. HTTP/1.0 requests, as some health checks send, may omit `Host`.
  private static void requireOneHost(HttpMessage head) {
    int hosts = head.headers().getAll(HttpHeaderNames.HOST).size();
    boolean needed = head.protocolVersion().equals(HttpVersion.HTTP_1_1);
    if (hosts > 1 || (hosts == 0 && needed)) {
      throw new IllegalArgumentException(hosts + " Host fields");
    }
  }

  /// RFC 9112, section 6: the length of a body must be unambiguous. `chunked` is the only supported
  /// coding.
  private static void requirePlainFraming(HttpMessage head) {
    HttpHeaders fields = head.headers();
    if (!fields.contains(HttpHeaderNames.TRANSFER_ENCODING)) {
      return;
    }
    List<String> codings = fields.getAll(HttpHeaderNames.TRANSFER_ENCODING);
    boolean chunked =
        codings.size() == 1 && HttpHeaderValues.CHUNKED.contentEqualsIgnoreCase(codings.getFirst());
    if (!chunked
        || fields.contains(HttpHeaderNames.CONTENT_LENGTH)
        || !head.protocolVersion().equals(HttpVersion.HTTP_1_1)) {
      throw new IllegalArgumentException("the length of the body is ambiguous");
    }
  }
}
