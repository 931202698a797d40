import java.util.Arrays;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import software.amazon.dynamodb.services.local.main.ServerRunner;
import software.amazon.dynamodb.services.local.server.DynamoDBProxyServer;

/** DynamoDB Local on the loopback address. It has no option for that and would listen on all interfaces. */
public class LoopbackDynamoDb {
  public static void main(String[] options) {
    try {
      DynamoDBProxyServer local = ServerRunner.createServerFromCommandLineArgs(options);
      var field = DynamoDBProxyServer.class.getDeclaredField("server");
      field.setAccessible(true);
      var connectors = ((Server) field.get(local)).getConnectors();
      Arrays.stream(connectors).forEach(connector -> ((ServerConnector) connector).setHost("127.0.0.1"));
      local.start();
    } catch (Exception error) {
      error.printStackTrace();
      System.exit(1);
    }
  }
}
