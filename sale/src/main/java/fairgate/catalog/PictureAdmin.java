package fairgate.catalog;

import static fairgate.kernel.Role.SELLER;

import fairgate.kernel.ErrorCode;
import fairgate.platform.admin.AdminGuard;
import fairgate.platform.http.InvalidRequest;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.json.JsonText;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/// Uploads of pictures for products. The body is the file.
final class PictureAdmin {
  private static final Duration LONGEST_UPLOAD = Duration.ofMinutes(1);

  private final Pictures pictures;

  PictureAdmin(Pictures pictures) {
    this.pictures = pictures;
  }

  List<Route> routes(AdminGuard admin) {
    return List.of(
        // The body is streamed, so that no bytes of it are recorded in the audit log.
        Route.blockingPost("/api/admin/pictures", admin.guard(this::upload))
            .roles(SELLER)
            .withStreamedBody(Pictures.MAX_BYTES)
            .withDeadline(LONGEST_UPLOAD));
  }

  private Reply upload(Request request) throws IOException {
    byte[] bytes = request.bodyStream().readAllBytes();
    return switch (pictures.store(bytes, AdminGuard.actor(request))) {
      case Pictures.Upload.Stored(String path, String type) ->
          Reply.json(
              200,
              JsonText.object()
                  .put("image_url", path)
                  .put("type", type)
                  .put("bytes", bytes.length)
                  .bytes());
      case Pictures.Upload.NotAPicture() -> throw new InvalidRequest("", "picture_type");
      case Pictures.Upload.Incomplete() -> throw new InvalidRequest("", "picture_incomplete");
      case Pictures.Upload.Full() -> Reply.refuse(Refusal.of(ErrorCode.TOO_MANY_PICTURES));
    };
  }
}
