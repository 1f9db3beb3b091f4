package fairgate.platform.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.CharBuffer;
import org.junit.jupiter.api.Test;

final class ReplyTest {
  @Test
  void anEncodedLocationIsSetInAnyNumberOfReplies() {
    CharSequence location = Reply.encodedLocation("https://example.com/a?b=%20");
    Reply reply = Reply.redirect(302, "https://example.com/old").withLocation(location);
    assertThat(reply.status()).isEqualTo(302);
    assertThat(reply.headerValue("location")).isEqualTo("https://example.com/a?b=%20");
    assertThat(reply.withLocation(Reply.encodedLocation("/b")).headerValue("location"))
        .isEqualTo("/b");
    assertThat(reply.header("location", "/c").headerValue("location")).isEqualTo("/c");
  }

  @Test
  void aLocationWithForbiddenCharactersIsRefused() {
    for (String broken : new String[] {"/a\r\nset-cookie: x=y", "/\u0000", "/\u4e2d", "/\u007f"}) {
      assertThatThrownBy(() -> Reply.encodedLocation(broken))
          .isInstanceOf(IllegalArgumentException.class);
    }
    Reply reply = Reply.noContent();
    assertThatThrownBy(() -> reply.withLocation("/a")).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> reply.withLocation(CharBuffer.wrap("/\r\n")))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
