package fairgate.platform.redis;

import io.vertx.redis.client.Response;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A reply of Redis: nil, a text, a number or a list of replies.
public final class RedisReply {
  private static final RedisReply NIL = new RedisReply(null);

  private final @Nullable Response response;

  private RedisReply(@Nullable Response response) {
    this.response = response;
  }

  static RedisReply of(@Nullable Response response) {
    return response == null ? NIL : new RedisReply(response);
  }

  public boolean isNil() {
    return response == null;
  }

  /// The reply as text; the empty text for nil.
  public String text() {
    return response == null ? "" : response.toString();
  }

  /// The reply as bytes; none for nil.
  public byte[] bytes() {
    return response == null ? new byte[0] : response.toBytes();
  }

  /// The reply as a whole number; 0 for nil.
  public long number() {
    Long number = response == null ? null : response.toLong();
    return number == null ? 0 : number;
  }

  /// The number of members of a list; 0 for nil.
  public int size() {
    return response == null ? 0 : response.size();
  }

  /// A member of a list reply.
  public RedisReply at(int index) {
    return of(response == null ? null : response.get(index));
  }

  /// The value of a map reply under the name; nil when there is none.
  public RedisReply get(String name) {
    return of(response == null ? null : response.get(name));
  }

  /// A member of a list reply as text; the empty text for nil.
  public String textAt(int index) {
    Response member = response == null ? null : response.get(index);
    return member == null ? "" : member.toString();
  }

  /// The members of a list as texts; nil members become empty texts.
  public List<String> texts() {
    List<String> texts = new ArrayList<>(size());
    for (int i = 0; i < size(); i++) {
      texts.add(textAt(i));
    }
    return texts;
  }
}
