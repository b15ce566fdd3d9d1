//! A session of Spark Connect, the protocol of Apache Spark 4 and of Sail: views over Parquet, and rows of queries.

use arrow_array::RecordBatch;
use arrow_ipc::reader::StreamReader;
use spark_connect_core::{ChannelBuilder, RetryPolicy, SparkConnectClient, SparkError, block_on};
use spark_connect_proto::execute_plan_response::ResponseType;
use spark_connect_proto::plan::OpType;
use spark_connect_proto::read::{DataSource, ReadType};
use spark_connect_proto::relation::RelType;
use spark_connect_proto::{
    Command, CreateDataFrameViewCommand, ExecutePlanRequest, Plan, Read, Relation, Sql, UserContext, command,
};

use model::error::Error;

pub struct Session {
    client: SparkConnectClient,
    url: String,
}

impl Session {
    /// `url` as in `sc://host:15002`. The server is called when it is first asked.
    pub fn of(url: &str) -> Result<Session, Error> {
        let failed = |error: SparkError| Error::Setting(format!("--engine {url}: {error}"));
        let channel = ChannelBuilder::parse(url).map_err(failed)?;
        let mut client = block_on(SparkConnectClient::connect(&channel)).map_err(failed)?;
        // A server that is not there should be reported within seconds.
        let policy = RetryPolicy { max_retries: Some(3), initial_backoff_ms: 500, ..RetryPolicy::default() };
        client.set_retry_policy(policy);
        Ok(Session { client, url: url.into() })
    }

    /// Names a folder of Parquet files, as the engine's workers see it.
    pub fn table(&self, name: &str, path: &str) -> Result<(), Error> {
        let source = DataSource { format: Some("parquet".into()), paths: vec![path.into()], ..DataSource::default() };
        self.name(name, RelType::Read(Read { read_type: Some(ReadType::DataSource(source)), is_streaming: false }))
    }

    /// Names the rows of a query.
    pub fn view(&self, name: &str, query: &str) -> Result<(), Error> {
        self.name(name, sql(query))
    }

    pub fn rows(&self, query: &str) -> Result<Vec<RecordBatch>, Error> {
        self.execute(OpType::Root(relation(sql(query))))
    }

    fn name(&self, name: &str, of: RelType) -> Result<(), Error> {
        let input = Some(relation(of));
        let view = CreateDataFrameViewCommand { input, name: name.into(), is_global: false, replace: true };
        let command = Command { command_type: Some(command::CommandType::CreateDataframeView(view)) };
        self.execute(OpType::Command(command)).map(drop)
    }

    fn execute(&self, operation: OpType) -> Result<Vec<RecordBatch>, Error> {
        block_on(self.answers(operation)).map_err(|error| self.explained(&error.to_string()))?
    }

    /// The batches of an answer; the inner error is of batches that are no Arrow.
    async fn answers(&self, operation: OpType) -> Result<Result<Vec<RecordBatch>, Error>, SparkError> {
        let user =
            UserContext { user_id: self.client.user_id().unwrap_or("overhear").into(), ..UserContext::default() };
        let request = ExecutePlanRequest {
            session_id: self.client.session_id().into(),
            user_context: Some(user),
            plan: Some(Plan { op_type: Some(operation) }),
            client_type: Some(concat!("overhear/", env!("CARGO_PKG_VERSION")).into()),
            ..ExecutePlanRequest::default()
        };
        let mut answers = self.client.execute_plan_reattachable(request).await?;
        let mut batches = Vec::new();
        while let Some(answer) = answers.message().await? {
            if let Some(ResponseType::ArrowBatch(batch)) = answer.response_type {
                match StreamReader::try_new(&batch.data[..], None).and_then(Iterator::collect::<Result<Vec<_>, _>>) {
                    Ok(read) => batches.extend(read),
                    Err(error) => return Ok(Err(self.explained(&format!("its answer is no Arrow: {error}")))),
                }
            }
        }
        Ok(Ok(batches))
    }

    fn explained(&self, what: &str) -> Error {
        // Plans and stack traces follow.
        let what = what.lines().next().unwrap_or_default();
        Error::Other(format!("{}: {what}. The engine's own log says more.", self.url))
    }
}

fn sql(query: &str) -> RelType {
    RelType::Sql(Sql { query: query.into(), ..Sql::default() })
}

fn relation(of: RelType) -> Relation {
    Relation { common: None, rel_type: Some(of) }
}
